// Requests to /api go to the gateway: `midstream serve`.
const proxy = { "/api": { target: process.env.GATEWAY ?? "http://127.0.0.1:8377", changeOrigin: true } };

export default { server: { proxy }, preview: { proxy } };
