"""The browser's side: `midstream.js` reads the wire form, and a page that shows it. No Python in here."""
