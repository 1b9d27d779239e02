import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { http } from "../../../runtime/processors/http.ts";
import { completeTransport } from "../../../runtime/requests/connections.ts";
import { createExchanger } from "../../../runtime/requests/exchange.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";
import { fast, once200, outcome, tcpServer } from "./tcp-server.ts";

const test = suite("responses to requests");

const manyFields = Array.from({ length: 50 }, (_, index) => `x-${index}: ${index}\r\n`).join("");

test("responses of every form are read to their end", async () => {
  const forms = [
    once200,
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a=b\r\no\r\n1\r\nk\r\n0\r\nx-sum: 1\r\n\r\n",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${once200}`,
    `HTTP/1.1 200 OK\r\n${manyFields}content-length: 2\r\n\r\nok`,
    "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok",
    "HTTP/1.0 200 OK\r\n\r\nok",
  ];
  const server = await tcpServer((socket) => {
    let isFirst = true;
    socket.on("data", () => {
      const form = isFirst ? (forms[server.sockets.length - 1] ?? "") : once200;
      isFirst = false;
      // In pieces, so that every state of the parser is left and entered again.
      for (const byte of form) socket.write(byte);
      if (!form.includes("ontent-length") && !form.includes("chunked")) socket.end();
    });
  });
  const url = `http://127.0.0.1:${server.port}/`;
  for (const form of forms) assert.is(await outcome({ url }), "ok", form);
  await server.close();
});

test("the fields behind a body are no headers, however many headers there are", async () => {
  const head = `HTTP/1.1 200 OK\r\n${manyFields}transfer-encoding: chunked\r\n\r\n`;
  const server = await tcpServer((socket) =>
    socket.once("data", () => socket.write(`${head}2\r\nok\r\n0\r\nlocation: /other\r\n\r\n`)),
  );
  const { send, close } = createExchanger({ transport: completeTransport() });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const { signal } = new AbortController();
  const reply = await send({ verb: "GET", url, headers: new Map(), body: undefined }, signal);
  assert.is(await text(reply.body), "ok");
  assert.equal([reply.first("location"), reply.headers.location], [undefined, undefined]);
  close();
  await server.close();
});

test("responses that cannot be read fail, and those of another request are not taken", async () => {
  const invalid = [
    "nonsense\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\no",
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    `HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}\r\n\r\n`,
    "",
  ];
  const failing = await tcpServer((socket) =>
    socket.once("data", () => socket.end(invalid[failing.sockets.length - 1] ?? "")),
  );
  const url = `http://127.0.0.1:${failing.port}/`;
  for (const answer of invalid) {
    assert.is(await outcome({ url }), "The HTTP request failed", answer.slice(0, 80));
  }
  await failing.close();

  const other = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother";
  const doubled = await tcpServer((socket) => socket.on("data", () => socket.write(once200 + other)));
  const step = http({ ...fast, url: `http://127.0.0.1:${doubled.port}/` });
  for (const count of [1, 2, 3]) {
    const [batch = []] = await step.process(batchOf("m"), componentContext());
    assert.equal([textOfBatch(batch), doubled.sockets.length], ["ok", count]);
  }
  await step.close?.();
  await doubled.close();
});

test("a transfer coding that is not decoded fails the request, and in HTTP/1.0 any ends the connection", async () => {
  const chunks = "2\r\nok\r\n0\r\n\r\n";
  const server = await tcpServer((socket) =>
    socket.on("data", (data) => {
      const [, version = "", codings = ""] = /^x-answer: (\S+) (.*)\r$/m.exec(String(data)) ?? [];
      const fields = codings.split("|").map((coding) => `Transfer-Encoding: ${coding}\r\n`);
      socket.write(`HTTP/${version} 200 OK\r\nconnection: keep-alive\r\n${fields.join("")}\r\n${chunks}`);
      if (!/chunked$/i.test(codings)) socket.end();
    }),
  );
  const url = `http://127.0.0.1:${server.port}/`;
  // A request with `Expect` uses `node:http`.
  for (const more of [{}, { Expect: "none" }]) {
    for (const codings of [
      "gzip",
      "gzip, chunked",
      "gzip|chunked",
      "chunked, chunked",
      "xchunked",
      "chunked;q=1",
    ])
      assert.is(
        await outcome({ url, headers: { "X-Answer": `1.1 ${codings}`, ...more } }),
        "The HTTP request failed",
        codings,
      );
    assert.is(await outcome({ url, headers: { "X-Answer": "1.1 Chunked", ...more } }), "ok");
  }
  const before = server.sockets.length;
  const step = http({ ...fast, url, headers: { "X-Answer": "1.0 chunked" } });
  for (const _ of ["one", "two"])
    assert.is(textOfBatch((await step.process(batchOf("m"), componentContext()))[0] ?? []), "ok");
  assert.is(server.sockets.length, before + 2);
  await step.close?.();
  await server.close();
});

test.run();
