import { test } from "uvu";
import * as assert from "uvu/assert";
import { wsPatch } from "../../compiler/link/patches/ws.ts";
import { bundlePatched, runPatched } from "./patched-bundle.ts";

/** A server and a client that offers compression, as browsers do; by what is asked of ws as a gateway asks it. */
const both = `
import { WebSocket, WebSocketServer } from "ws";
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("connection", (socket, { headers }) => {
  socket.on("message", (text) => socket.send(\`\${headers["sec-websocket-extensions"]}: \${text}\`));
});
await new Promise((listening) => server.once("listening", listening));
const headers = { "sec-websocket-extensions": "permessage-deflate; client_max_window_bits" };
const client = new WebSocket(\`ws://127.0.0.1:\${server.address().port}\`, { headers, perMessageDeflate: false });
client.on("open", () => client.send("paid"));
client.on("message", (text) => {
  console.log(String(text), client.extensions === "");
  client.close();
  server.close();
});
`;

const clientOnly = `import { WebSocket } from "ws"; console.log(WebSocket.OPEN);`;

test("WebSockets work without the compression that the peer offers", async () => {
  const { stdout } = await runPatched([wsPatch()], both);
  assert.is(stdout, "permessage-deflate; client_max_window_bits: paid true\n");
});

test("a bundle contains only the parts of ws that it imports", async () => {
  const { metafile } = await bundlePatched([wsPatch()], clientOnly);
  const [output] = Object.values(metafile.outputs);
  const parts = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const names = parts.map(([path]) => path).join("\n");
  assert.match(names, /ws\/lib\/websocket\.js/);
  assert.not.match(names, /ws\/lib\/(permessage-deflate|websocket-server|stream)\.js/);
  assert.is((await runPatched([wsPatch()], clientOnly)).stdout, "1\n");
});

test.run();
