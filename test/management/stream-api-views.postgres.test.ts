import { Parser } from "@asyncapi/parser";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { readCatalogue } from "../../runtime/portal/documents/documents.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { openStore } from "../../runtime/store/store.ts";
import { freshFile, testedDatabases } from "../runtime/store/databases.ts";
import { definitionOf, ownType, yamlDefinitionOf } from "./definitions.ts";
import { keys, startTestService } from "./services.ts";

const path = "/apis/streams";

interface Drawn {
  readonly stream: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly routes?: readonly { readonly callers: object }[];
    readonly place: { readonly line: number };
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly picture?: { readonly nodes: readonly { readonly x: number; readonly width: number }[] };
}

const drawnOf = (body: object) => (body as { Data: readonly Drawn[] }).Data;

test("the streams of an API are drawn with positions, lines and edges", async () => {
  const service = await startTestService(await freshFile());
  const { body } = await service.ask("POST", path, yamlDefinitionOf("/a/"), {
    "content-type": "application/yaml",
  });
  const [drawing] = drawnOf((await service.ask("GET", `${path}/${body.ID}/topology`)).body);
  assert.is(drawing?.stream, "intake");
  assert.equal(
    drawing?.nodes.map(({ id, place }) => [id, place.line]),
    [
      ["input.http_server", 11],
      ["pipeline.processors[0].mapping", 14],
      ["output.drop", 15],
    ],
  );
  assert.is(drawing?.edges.length, 2);
  assert.equal(
    drawing?.nodes.map(({ routes }) => routes?.map(({ callers }) => callers)),
    [[{ POST: "open" }], undefined, undefined],
  );
  const places = drawing?.picture?.nodes.map(({ x }) => x) ?? [];
  assert.equal(places.length, 3);
  assert.equal(
    places,
    places.toSorted((a, b) => a - b),
  );
  await service.close();
});

test("a stream has its own SVG, visible only to its organisation", async () => {
  const service = await startTestService(await freshFile());
  const { ID } = (await service.ask("POST", path, definitionOf("/a/"), ownType)).body;
  const svg = await service.ask("GET", `${path}/${ID}/topology/intake.svg`);
  assert.is(svg.headers.get("content-type"), "image/svg+xml");
  assert.match(svg.headers.get("content-security-policy") ?? "", "default-src 'none'");
  assert.match(svg.text, /^<svg xmlns="[^"]+" [^>]*role="img" aria-label="Topology of intake: 3 components"/);
  assert.is((await service.ask("GET", `${path}/${ID}/topology/intake`)).text, svg.text);
  assert.is((await service.ask("GET", `${path}/${ID}/topology/other`)).status, 404);
  const other = { authorization: keys.other };
  for (const view of ["topology", "topology/intake", "asyncapi"]) {
    assert.is((await service.ask("GET", `${path}/${ID}/${view}`, undefined, other)).status, 404, view);
  }
  await service.close();
});

test("a definition with errors is drawn as far as it is readable, and an unreadable one has no streams", async () => {
  const service = await startTestService(await freshFile());
  const wrong = definitionOf("/a/", { mapping: "root = " });
  const drawn = await service.ask("POST", `${path}/topology`, wrong, ownType);
  assert.equal([drawn.status, drawnOf(drawn.body)[0]?.nodes.length], [200, 3]);
  const none = await service.ask("POST", `${path}/topology`, "[", ownType);
  assert.equal([none.status, none.body.Data], [200, []]);
  await service.close();
});

test("the client view is described by AsyncAPI, as JSON or YAML", async () => {
  const service = await startTestService(await freshFile());
  const { ID } = (await service.ask("POST", path, definitionOf("/a/"), ownType)).body;
  const at = `${path}/${ID}/asyncapi`;
  const { text, headers } = await service.ask(
    "GET",
    `${at}?server=${encodeURIComponent("https://api.example.com")}`,
  );
  assert.match(headers.get("content-type") ?? "", "application/json");
  const { document, diagnostics } = await new Parser().parse(text);
  assert.equal(
    diagnostics.filter(({ severity }) => severity === 0),
    [],
  );
  assert.equal(
    document
      ?.servers()
      .all()
      .map((each) => each.host()),
    ["api.example.com"],
  );
  const yaml = await service.ask("GET", at, undefined, { accept: "application/yaml, application/json" });
  assert.is(yaml.headers.get("content-type"), "application/yaml");
  assert.equal(parse(yaml.text), (await service.ask("GET", at)).body);
  assert.is((await service.ask("GET", `${at}?server=nowhere`)).status, 422);
  await service.close();
});

test("a definition is validated as the API with the given id", async () => {
  const service = await startTestService(await freshFile());
  const { ID } = (await service.ask("POST", path, definitionOf("/a/"), ownType)).body;
  const check = (query: string, text: string) =>
    service.ask("POST", `${path}/validate${query}`, text, ownType);
  assert.is((await check("", definitionOf("/a/"))).status, 403);
  assert.is((await check(`?id=${ID}`, definitionOf("/a/"))).status, 200);
  assert.is((await check(`?id=${ID}`, definitionOf("/a/", { id: "other" }))).status, 400);
  assert.is((await check("?id=nobody", definitionOf("/a/"))).status, 404);
  await service.close();
});

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: an API is published in the catalogue, and republished in its place`, async () => {
    const address = await fresh();
    const service = await startTestService(address);
    const { ID } = (await service.ask("POST", path, definitionOf("/a/", { name: "Orders" }), ownType)).body;
    const publish = (offer: object, by = {}) => service.ask("POST", `${path}/${ID}/publish`, offer, by);
    assert.is((await publish({})).status, 422);
    assert.is((await publish({ policy_id: "p" }, { authorization: keys.other })).status, 404);
    const made = await publish({ policy_id: "readers", short_description: "All orders" });
    assert.equal([made.status, made.body.Message], [200, "API published"]);
    // It may be a policy of `gateway.yaml`, which only the gateway has.
    const unknown = [["policy_id", "warning"]];
    assert.equal(
      made.body.Errors?.map(({ path: field, severity }) => [field, severity]),
      unknown,
    );
    const portal = await openStore(address, createLogger("silent"));
    await portal.read((connection) =>
      connection
        .insertInto("policies")
        .values({ id: "guests", org_id: "default", name: "Guests", record: '{"name":"Guests"}' })
        .execute(),
    );
    await portal.close();
    assert.is((await publish({ policy_id: "guests", show: false })).body.Errors, undefined);
    await Promise.all([publish({ policy_id: "writers", show: false }), publish({ policy_id: "guests" })]);
    await publish({ policy_id: "readers", name: "Orders of all shops" });
    const store = await openStore(address, createLogger("silent"));
    const entries = await store.read((connection) => readCatalogue(connection, "default"));
    await store.close();
    const common = { api_id: ID, version: "v2" };
    const named = new Map(entries.map((entry) => [entry.policy_id, entry]));
    assert.is(entries.length, 3);
    assert.equal(named.get("readers"), {
      ...common,
      name: "Orders of all shops",
      show: true,
      policy_id: "readers",
      short_description: "All orders",
    });
    assert.equal(named.get("writers"), { ...common, name: "Orders", show: false, policy_id: "writers" });
    const { Data } = (await service.ask("GET", "/audit")).body;
    assert.equal(
      Data.filter(({ action }) => action === "publishStreamApi").map(({ object }) => object),
      [ID, ID, ID, ID, ID],
    );
    await service.close();
  });
}

test.run();
