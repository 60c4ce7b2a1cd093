"""The browser package and the gateway's page: `midstream.js` reads the wire form. No Python code."""
