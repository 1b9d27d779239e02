import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayResponse, tellInAnswer } from "../../runtime/http/gateway-response.ts";

const told = { ratelimit: "told", "ratelimit-policy": "told" };

/** The answer to one request, after `answer` was told `told`. */
async function answered(answer: (response: GatewayResponse) => void): Promise<Response> {
  const server = createServer({ ServerResponse: GatewayResponse }, (_request, response) => {
    tellInAnswer(response, told);
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  const response = await fetch(`http://127.0.0.1:${port}/`);
  server.close();
  return response;
}

function headersOf({ headers }: Response): readonly (string | null)[] {
  return ["ratelimit", "ratelimit-policy", "x-own"].map((name) => headers.get(name));
}

test("what was told is in the answer, however its head is written", async () => {
  const answers: readonly ((response: GatewayResponse) => void)[] = [
    (response) => response.writeHead(200, { "x-own": "1" }).end(),
    (response) => response.writeHead(200, "Fine", { "x-own": "1" }).end(),
    (response) => response.writeHead(200, ["x-own", "1"]).end(),
    (response) => response.setHeader("x-own", "1").end(),
    (response) => response.setHeader("x-own", "1").writeHead(200).end(),
    (response) => {
      response.setHeader("x-own", "1").flushHeaders();
      response.end();
    },
  ];
  for (const answer of answers) {
    assert.equal(headersOf(await answered(answer)), ["told", "told", "1"], String(answer));
  }
});

test("who answers may say otherwise, and can read what was told", async () => {
  const own = await answered((response) => response.writeHead(200, { ratelimit: "own" }).end());
  assert.equal(headersOf(own), ["own", "told", null]);
  const read = await answered((response) => {
    response.setHeader("x-own", String([response.getHeader("RateLimit"), response.getHeader("x-other")]));
    response.end();
  });
  assert.equal(headersOf(read), ["told", "told", "told,"]);
});

test("what was told twice counts as it was told last, and stays when a head cannot be written", async () => {
  const response = await answered((answer) => {
    answer.tell({ ratelimit: "again" });
    assert.throws(() => answer.writeHead(200, { "x-own": "a\nb" }));
    answer.writeHead(502, { "x-own": "1" }).end();
  });
  assert.is(response.status, 502);
  assert.equal(headersOf(response), ["again", "told", "1"]);
});

test.run();
