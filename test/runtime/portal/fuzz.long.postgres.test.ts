// Sends random requests to every operation of the served description: nothing breaks, and no response or change is one
// that must not happen.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../../runtime/process/log.ts";
import { openStore, type Store } from "../../../runtime/store/store.ts";
import { databases } from "../store/databases.ts";
import { awkwardText, type DescribedSchema, fittingValue, spoiltBody } from "./fuzz/arbitrary-value.ts";
import { type DescribedOperation, type DescriptionDocument, operationsOf } from "./fuzz/description.ts";
import { type Dump, dump, markOf, rowsOf, seed } from "./fuzz/records.ts";
import { startPortal, type TestPortal, tokens } from "./portals.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 12);
/** The seed is the same in every run, so that a test that starts to fail was broken by a change. */
const firstSeed = Number(process.env.FUZZ_SEED ?? 8);

type Organisation = keyof typeof tokens;
const organisations: readonly Organisation[] = ["acme", "other"];

/** A portal, its description, and the content of its store between two requests. */
interface Fuzzed {
  readonly portal: TestPortal;
  readonly store: Store;
  readonly schemas: DescriptionDocument["components"]["schemas"];
  readonly operations: readonly DescribedOperation[];
  rows: Dump;
}

/** The tables that contain the ids of fields. */
const tables: Readonly<Record<string, string>> = {
  by_user: "portal_developers",
  developer: "portal_developers",
  apply_policies: "policies",
  remove_policies: "policies",
  for_plan: "policies",
  policy_id: "policies",
  policy: "policies",
  products: "policies",
  webhook: "webhook_subscriptions",
  id: "portal_requests",
  keyId: "keys",
};

/** The tables by the first segment of a path. */
const tablesOfPaths: Readonly<Record<string, string>> = {
  requests: "portal_requests",
  policies: "policies",
  apps: "portal_apps",
  developers: "portal_developers",
  teams: "portal_developers",
  documentation: "portal_documentation",
};

function idsIn({ rows }: Fuzzed, organisation: string, table: string | undefined): readonly string[] {
  const wanted = table === undefined ? rowsOf(rows, organisation) : (rows.get(table) ?? []);
  return wanted
    .filter((row) => row.org_id === organisation)
    .flatMap(({ id, key_hash: hash }) => [id, hash])
    .filter((each) => typeof each === "string");
}

/** Returns an id that exists when the request is generated. */
function idFrom(fuzzed: Fuzzed, organisation: string, table?: string): fc.Arbitrary<string> {
  return fc.nat().map((at) => {
    const ids = idsIn(fuzzed, organisation, table);
    return ids[at % Math.max(ids.length, 1)] ?? "none";
  });
}

function foreignOf(organisation: Organisation): Organisation {
  return organisation === "acme" ? "other" : "acme";
}

function textsOf(fuzzed: Fuzzed, organisation: Organisation): (field: string) => fc.Arbitrary<string> {
  const others = fc.oneof(
    fc.constant(markOf(organisation)),
    awkwardText,
    idFrom(fuzzed, organisation),
    idFrom(fuzzed, foreignOf(organisation)),
  );
  return (field) => {
    const likely = /url|uri|redirect/i.test(field)
      ? // Nothing listens there, and nothing leaves this machine.
        fc.constant("http://127.0.0.1:9/hook")
      : /event/i.test(field)
        ? fc.constant("made")
        : /mail/i.test(field)
          ? fc.nat().map((at) => `${at}@example.com`)
          : idFrom(fuzzed, organisation, tables[field]);
    return fc.oneof({ weight: 4, arbitrary: likely }, { weight: 2, arbitrary: others });
  };
}

interface Asked {
  readonly organisation: Organisation;
  readonly authorization: string | undefined;
  readonly path: string;
  readonly type: string | undefined;
  /** The body as it is sent. */
  readonly text: string | undefined;
  readonly body: unknown;
}

function requestsTo(fuzzed: Fuzzed, operation: DescribedOperation): fc.Arbitrary<Asked> {
  return fc.constantFrom(...organisations).chain((organisation) =>
    fc
      .record({
        authorization: credentials(organisation),
        path: pathOf(fuzzed, operation, organisation),
        sent: bodyOf(fuzzed, operation, organisation),
      })
      .map(({ authorization, path, sent }) => ({ organisation, authorization, path, ...sent })),
  );
}

function credentials(organisation: Organisation): fc.Arbitrary<string | undefined> {
  const token = tokens[organisation];
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(token, `Bearer ${token}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        "",
        "Bearer",
        `Basic ${token}`,
        `${token}x`,
        token.slice(1),
        "acme",
      ),
    },
  );
}

function pathOf(
  fuzzed: Fuzzed,
  { path, parameters }: DescribedOperation,
  organisation: Organisation,
): fc.Arbitrary<string> {
  const [, first = ""] = path.split("/");
  const ids = (name: string) => {
    const table = name === "id" ? tablesOfPaths[first] : tables[name];
    return fc.oneof(
      { weight: 6, arbitrary: idFrom(fuzzed, organisation, table) },
      { weight: 2, arbitrary: idFrom(fuzzed, foreignOf(organisation), table) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("none", "a b", "%", "é", "'; --", "__proto__", "a/b", "x".repeat(500)),
      },
    );
  };
  const inPath = parameters.filter((each) => each.in === "path");
  const inQuery = parameters.filter((each) => each.in === "query");
  const options = { resolve: resolverOf(fuzzed), textOf: textsOf(fuzzed, organisation) };
  const query = fc.record(
    Object.fromEntries(
      inQuery.map(({ name, schema }) => [
        name,
        fc.oneof(
          { weight: 4, arbitrary: fittingValue(schema, options, name) },
          { weight: 1, arbitrary: awkwardText },
        ),
      ]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.tuple(fc.tuple(...inPath.map(({ name }) => ids(name))), query).map(([values, asked]) => {
    const filled = inPath.reduce(
      (text, { name }, at) => text.replace(`{${name}}`, encodeURIComponent(values[at] ?? "")),
      path,
    );
    const pairs = Object.entries(asked).map(([name, value]): [string, string] => [
      name,
      String(value).toWellFormed(),
    ]);
    return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
  });
}

const json = "application/json";
const nothing = { type: undefined, text: undefined, body: undefined };

function bodyOf(
  fuzzed: Fuzzed,
  { body: schema }: DescribedOperation,
  organisation: Organisation,
): fc.Arbitrary<Pick<Asked, "type" | "text" | "body">> {
  if (schema === undefined) return fc.constant(nothing);
  const options = { resolve: resolverOf(fuzzed), textOf: textsOf(fuzzed, organisation) };
  const print = (body: unknown) => ({ type: json, text: JSON.stringify(body), body });
  const resolved = schema.$ref === undefined ? schema : options.resolve(schema.$ref);
  return fc.oneof(
    { weight: 6, arbitrary: fittingValue(schema, options).map(print) },
    { weight: 3, arbitrary: spoiltBody(resolved, options).map(print) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          "",
          "{",
          "[]",
          "null",
          "1",
          '"a"',
          '{"a":',
          "{}x",
          '{"__proto__":{"a":1}}',
          "[".repeat(5000),
        )
        .map((text) => ({ type: json, text, body: undefined })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("text/plain", "application/xml", "application/json; charset=utf-16")
        .map((type) => ({
          type,
          text: "{}",
          body: undefined,
        })),
    },
    { weight: 1, arbitrary: fc.constant(nothing) },
  );
}

function resolverOf({ schemas }: Fuzzed): (reference: string) => DescribedSchema {
  return (reference) => {
    const schema = schemas[reference.split("/").at(-1) ?? ""];
    if (schema === undefined) throw new Error(`the description has no ${reference}`);
    return schema;
  };
}

/** Sends a request, checks the invariants of the response and of the store, and returns the status. */
async function ask(fuzzed: Fuzzed, operation: DescribedOperation, asked: Asked): Promise<number> {
  const { portal, store } = fuzzed;
  const { organisation, authorization, path, type, text, body } = asked;
  const response = await fetch(`${portal.url}/api/portal${path}`, {
    method: operation.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(type !== undefined && { "content-type": type }),
    },
    ...(text !== undefined && { body: text }),
  });
  const answer = await response.text();
  const { status } = response;
  const [kind = ""] = (response.headers.get("content-type") ?? "").split(";");
  const before = fuzzed.rows;
  fuzzed.rows = await dump(store);
  const shown = () => `${operation.method} ${path} ${text ?? ""} -> ${status} ${answer}`;
  assert.ok(status < 500, shown());
  assert.equal(operation.faultsOf(status, kind, answer), [], shown());
  const foreign = foreignOf(organisation);
  assert.not.ok(answer.includes(markOf(foreign)), `told of another organisation: ${shown()}`);
  assert.equal(
    rowsOf(fuzzed.rows, foreign),
    rowsOf(before, foreign),
    `changed another organisation: ${shown()}`,
  );
  if (authorization?.replace(/^Bearer /, "") === tokens[organisation]) {
    // The password of a developer may also be wrong.
    assert.ok(status !== 401 || operation.path === "/developers/verify_credentials", shown());
  } else {
    assert.is(status, 401, shown());
    assert.not.ok(answer.includes(markOf(organisation)), shown());
  }
  if (status >= 400 || operation.method === "GET")
    assert.equal(fuzzed.rows, before, `changed something: ${shown()}`);
  if (body !== undefined && !operation.isFitting(withoutServersOwn(fuzzed, operation, body)))
    assert.ok(status >= 400, `took what does not fit: ${shown()}`);
  return status;
}

/** Returns a body as the portal sees it: without fields that the server sets, and without fields that have no value. */
function withoutServersOwn(fuzzed: Fuzzed, { body: schema }: DescribedOperation, body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body) || schema === undefined) return body;
  const { properties = {} } = schema.$ref === undefined ? schema : resolverOf(fuzzed)(schema.$ref);
  const kept = Object.entries(body).filter(
    ([name, value]) =>
      value !== null &&
      name !== "__proto__" &&
      !(Object.hasOwn(properties, name) && properties[name]?.readOnly),
  );
  return Object.fromEntries(kept);
}

for (const [title, fresh] of Object.entries(databases)) {
  const address = await fresh();
  const portal = await startPortal(address);
  const store = await openStore(address, createLogger("silent"));
  for (const organisation of organisations) await seed(store, organisation);
  const document: DescriptionDocument = JSON.parse(
    JSON.stringify((await portal.ask("GET", "/openapi.json")).body),
  );
  const fuzzed: Fuzzed = {
    portal,
    store,
    schemas: document.components.schemas,
    operations: operationsOf(document),
    rows: await dump(store),
  };
  const succeeded = new Set<string>();
  // Operations that create records come first, so that later requests find some.
  const order = ["POST", "PUT", "GET", "DELETE"];
  const sorted = fuzzed.operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
  for (const operation of sorted) {
    const name = `${operation.method} ${operation.path}`;
    test(`${title}: ${name}`, async () => {
      const property = fc.asyncProperty(requestsTo(fuzzed, operation), async (asked) => {
        if ((await ask(fuzzed, operation, asked)) === 200) succeeded.add(name);
      });
      const {
        failed,
        seed: of,
        counterexamplePath,
        errorInstance,
      } = await fc.check(property, {
        numRuns,
        seed: firstSeed,
        endOnFailure: true,
      });
      if (!failed) return;
      const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
      throw new Error(`seed ${of}, path ${counterexamplePath}: ${message}`, { cause: errorInstance });
    });
  }
  test(`${title}: most operations succeeded at least once`, async () => {
    const refused = sorted
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !succeeded.has(name));
    // Some operations need what random requests do not create: a password that is set, or a failed delivery.
    assert.ok(refused.length < sorted.length * 0.4, refused.join(", "));
    await portal.close();
    await store.close();
  });
}

test.run();
