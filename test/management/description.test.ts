import SwaggerParser from "@apidevtools/swagger-parser";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshFile } from "../runtime/store/databases.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { startTestService } from "./services.ts";

const settings = {
  numRuns: Number(process.env.FUZZ_RUNS ?? 150),
  seed: Number(process.env.FUZZ_SEED ?? 8),
};

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Resolves with every operation that the service describes. */
async function describedBy(service: Awaited<ReturnType<typeof startTestService>>) {
  const { body } = await service.ask("GET", "/openapi.json");
  const paths = body.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      path,
      method: method.toUpperCase(),
      ...described,
    })),
  );
}

test("the API is described by OpenAPI, without disabled parts", async () => {
  const service = await startTestService(await freshFile());
  const { body } = await service.ask("GET", "/openapi.json");
  await SwaggerParser.validate(structuredClone(body) as never);
  const all = await describedBy(service);
  assert.ok(all.some(({ path, method }) => path === "/apis/streams" && method === "POST"));
  await service.close();

  const environment = { GW_MANAGEMENT_STREAMING_ENABLED: "false" };
  const other = await startTestService(await freshFile(), { environment });
  const left = (await describedBy(other)).map(({ operationId }) => operationId);
  assert.equal(
    left.filter((name) => /stream/i.test(name)),
    [],
  );
  assert.ok(left.includes("listUsers") && left.includes("readCurrentDeployment"));
  await other.close();
});

test("any request gets a response that matches the description, and no unexpected server error", async () => {
  const service = await startTestService(await freshFile());
  await service.ask("POST", "/apis/streams", definitionOf("/a/", { id: "a" }), ownType);
  const operations = (await describedBy(service)).filter(
    ({ operationId }) => operationId !== "readCurrentDeployment",
  );
  const word = fc.oneof(
    fc.constantFrom("a", "intake", "1", "-1", "true", "%", "__proto__", "null", "*"),
    fc.string({ maxLength: 20 }),
  );
  // Clients remove dot segments from a path, so that another operation would respond (RFC 3986, 5.2.4).
  const name = word.filter((chosen) => chosen !== "." && chosen !== "..");
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom("", "{", "a: [", "{}", definitionOf("/b/"), definitionOf("/b/").slice(0, 200)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...operations),
      fc.array(name, { minLength: 3, maxLength: 3 }),
      fc.array(word, { minLength: 6, maxLength: 6 }),
      text,
      fc.nat(),
      async (operation, someNames, someValues, sent, chosen) => {
        const names = [...someNames];
        const values = [...someValues];
        const path = operation.path.replaceAll(
          /\{\w+\}/g,
          () => encodeURIComponent(names.pop() ?? "a") || "a",
        );
        const query = operation.parameters
          .filter((parameter) => parameter.in === "query")
          .map(({ name }) => `${name}=${encodeURIComponent(values.pop() ?? "")}`);
        const types = Object.keys(operation.requestBody?.content ?? {});
        const type = types[chosen % types.length];
        const body = type === undefined ? undefined : sent;
        const answer = await service.ask(
          operation.method,
          `${path}?${query.join("&")}`,
          body,
          type === undefined ? {} : { "content-type": type },
        );
        const isKnown = answer.status in operation.responses || [304, 404, 405].includes(answer.status);
        // The response to a path that the listener refuses, or that leads to another operation, does not count.
        const isElsewhere = answer.status === 400 && answer.body.error !== undefined;
        assert.ok(isKnown || isElsewhere, `${operation.method} ${path}: ${answer.status} ${answer.text}`);
        if (answer.status === 500) assert.is(operation.operationId, "readStreamApiSchema");
      },
    ),
    settings,
  );
  assert.is((await service.ask("GET", "/openapi.json")).status, 200);
  await service.close();
});

test.run();
