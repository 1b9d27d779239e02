import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshFile, testedDatabases } from "../runtime/store/databases.ts";
import { definitionOf, ownType, yamlDefinitionOf } from "./definitions.ts";
import { keys, startTestService } from "./services.ts";

const other = { ...ownType, authorization: keys.other };
const path = "/apis/streams";

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: definitions are created, read as sent, replaced and deleted`, async () => {
    const service = await startTestService(await fresh());
    const sent = definitionOf("/a/", { name: "first" });
    const made = await service.ask("POST", path, sent, ownType);
    assert.is(made.status, 200, made.text);
    const { ID: id, Meta: record } = made.body;
    assert.equal(made.body, { Status: "OK", Message: "API created", Meta: record, ID: id });
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.match(String(record), /^[0-9a-f]{24}$/);

    const read = await service.ask("GET", `${path}/${id}`);
    assert.is(read.text, sent);
    assert.is(read.headers.get("content-type"), "application/vnd.gw.streams.oas");
    assert.is(read.headers.get("etag"), made.headers.get("etag"));
    assert.is((await service.ask("GET", `${path}/${record}`)).text, sent);

    const next = yamlDefinitionOf("/a/");
    const yaml = { "content-type": "application/yaml" };
    const put = await service.ask("PUT", `${path}/${id}`, next, yaml);
    assert.equal([put.status, put.body], [200, { Status: "OK", Message: "API updated.", Meta: null }]);
    const again = await service.ask("GET", `${path}/${id}`);
    assert.equal([again.text, again.headers.get("content-type")], [next, "application/yaml"]);
    assert.is(again.headers.get("etag"), put.headers.get("etag"));

    const deleted = await service.ask("DELETE", `${path}/${id}`);
    assert.equal([deleted.status, deleted.body.Message], [200, "API deleted."]);
    const gone = await Promise.all([
      service.ask("GET", `${path}/${id}`),
      service.ask("PUT", `${path}/${id}`, sent, ownType),
      service.ask("PATCH", `${path}/${id}`, "{}", ownType),
      service.ask("DELETE", `${path}/${id}`),
    ]);
    assert.equal(
      gone.map(({ status, body }) => [status, body.Message]),
      [
        [400, "Could not retrieve API detail."],
        [404, "API definition does not exist"],
        [404, "API not found."],
        [404, "Could not retrieve API detail."],
      ],
    );
    const audit = (await service.ask("GET", `/audit?object=${id}`)).body.Data;
    assert.equal(
      audit.map(({ action, before_digest: before, after_digest: after }) => [
        action,
        before !== null,
        after !== null,
      ]),
      [
        ["deleteStreamApi", true, false],
        ["replaceStreamApi", true, true],
        ["createStreamApi", false, true],
      ],
    );
    assert.is(audit[0]?.before_digest, audit[1]?.after_digest);
    await service.close();
  });

  test(`${title}: a definition that does not compile is rejected with all errors, and not stored`, async () => {
    const service = await startTestService(await fresh());
    const wrong = definitionOf("/a/", { mapping: "root = this.foo()" }).replace('"drop"', '"drap"');
    const { status, body } = await service.ask("POST", path, wrong, ownType);
    assert.is(status, 400);
    assert.equal([body.Status, body.Meta], ["Error", null]);
    assert.equal(
      body.Errors?.map(({ code, path: at, line, column, severity }) => [code, at, line, column, severity]),
      [
        ["GW3004", "x-gw-streaming.streams.intake.pipeline.processors[0].mapping", 13, 64, "error"],
        ["GW4001", "x-gw-streaming.streams.intake.output.drap", 14, 22, "error"],
      ],
    );
    assert.is(body.Errors?.[1]?.hint, "Did you mean `drop`?");
    assert.match(body.Message, "Unknown method `foo`.\n");
    assert.equal((await service.ask("GET", path)).body, { apis: [], pages: 0 });
    assert.equal((await service.ask("GET", "/audit")).body.Data, []);

    const made = await service.ask("POST", path, definitionOf("/a/"), ownType);
    const put = await service.ask("PUT", `${path}/${made.body.ID}`, wrong, ownType);
    assert.is(put.status, 400);
    assert.is((await service.ask("GET", `${path}/${made.body.ID}`)).text, definitionOf("/a/"));
    await service.close();
  });

  test(`${title}: ids and listen paths are unique across organisations`, async () => {
    const service = await startTestService(await fresh());
    const made = await service.ask("POST", path, definitionOf("/a/", { id: "orders" }), ownType);
    assert.is(made.body.ID, "orders");
    for (const headers of [ownType, other]) {
      const sameId = await service.ask("POST", path, definitionOf("/b/", { id: "orders" }), headers);
      assert.equal([sameId.status, sameId.body.Message], [409, "Found API with the same ID."]);
      const samePlace = await service.ask("POST", path, definitionOf("/a/"), headers);
      assert.equal([samePlace.status, samePlace.body.Message], [403, "Found API with same url."]);
    }
    const second = await service.ask("POST", path, definitionOf("/b/"), ownType);
    const moved = await service.ask("PUT", `${path}/${second.body.ID}`, definitionOf("/a/"), ownType);
    assert.equal([moved.status, moved.body.Message], [403, "Found API with same url."]);
    const renamed = await service.ask("PUT", `${path}/orders`, definitionOf("/a/", { id: "x" }), ownType);
    assert.equal([renamed.status, renamed.body.Message], [400, "Invalid `ID` value"]);
    assert.is((await service.ask("POST", path, definitionOf("/c/", { id: "../x" }), ownType)).status, 400);
    assert.is((await service.ask("GET", `${path}/orders`, undefined, other)).status, 400);
    assert.is((await service.ask("DELETE", `${path}/orders`, undefined, other)).status, 404);
    await service.close();
  });

  test(`${title}: concurrent updates do not overwrite unseen changes`, async () => {
    const service = await startTestService(await fresh());
    const made = await service.ask("POST", path, definitionOf("/a/"), ownType);
    const at = `${path}/${made.body.ID}`;
    const etag = made.headers.get("etag") ?? "";
    const mappings = ["root.a = 1", "root.b = 2", "root.c = 3"];
    const answers = await Promise.all(
      mappings.map((mapping) =>
        service.ask("PUT", at, definitionOf("/a/", { mapping }), { ...ownType, "if-match": etag }),
      ),
    );
    assert.equal(answers.map(({ status }) => status).sort(), [200, 412, 412]);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.is((await service.ask("GET", at)).text, definitionOf("/a/", { mapping: mappings[winner] ?? "" }));
    const late = { "if-match": etag };
    assert.is((await service.ask("DELETE", at, undefined, late)).status, 412);
    assert.is((await service.ask("PATCH", at, "{}", { ...ownType, ...late })).status, 412);
    assert.is((await service.ask("DELETE", at, undefined, { "if-match": "*" })).status, 200);
    await service.close();
  });

  test(`${title}: earlier versions can be read and restored`, async () => {
    const service = await startTestService(await fresh());
    const texts = ["root.a = 1", "root.b = 2"].map((mapping) => definitionOf("/a/", { mapping }));
    const made = await service.ask("POST", path, texts[0], ownType);
    const at = `${path}/${made.body.ID}`;
    await service.ask("PUT", at, texts[1], ownType);
    assert.is((await service.ask("GET", `${at}/versions/1`)).text, texts[0]);
    const back = await service.ask("POST", `${at}/versions/1/rollback`);
    assert.equal([back.status, back.body.Message], [200, "API updated."]);
    assert.is((await service.ask("GET", at)).text, texts[0]);
    const { Data, Current } = (await service.ask("GET", `${at}/versions`)).body;
    assert.equal([Data.map(({ version }) => version), Current], [[3, 2, 1], 3]);
    assert.is((await service.ask("POST", `${at}/versions/9/rollback`)).status, 404);
    assert.is((await service.ask("GET", `${at}/versions/x`)).status, 404);
    await service.close();
  });

  test(`${title}: lists are paginated, searched and sorted`, async () => {
    const service = await startTestService(await fresh());
    for (const name of ["Zebra", "ant", "a_b", "axb"]) {
      await service.ask("POST", path, definitionOf(`/${name}/`, { name }), ownType);
    }
    const names = async (query: string) => {
      const { body } = await service.ask("GET", `${path}${query}`);
      const apis = body.apis as { api_definition: { name: string } }[];
      return [apis.map(({ api_definition }) => api_definition.name).join(" "), body.pages];
    };
    assert.equal(await names("?sort=created_at&page_size=3"), ["Zebra ant a_b", 2]);
    assert.equal(await names("?sort=-created_at&page_size=3&p=2"), ["Zebra", 2]);
    assert.equal(await names("?q=A_&p=-1"), ["a_b", 0]);
    assert.equal(await names("?q=zeb"), ["Zebra", 1]);
    assert.is((await service.ask("GET", `${path}?sort=digest`)).status, 422);
    assert.equal((await service.ask("GET", path, undefined, other)).body, { apis: [], pages: 0 });
    await service.close();
  });
}

test("the OpenAPI description is replaced, and the streams are kept as written", async () => {
  const service = await startTestService(await freshFile());
  const made = await service.ask("POST", path, definitionOf("/a/", { name: "first" }), ownType);
  const at = `${path}/${made.body.ID}`;
  const description = `{"openapi":"3.0.3","info":{"title":"Second","version":"2"},"paths":{}}`;
  const patched = await service.ask("PATCH", `${at}?listenPath=/moved/`, description, ownType);
  assert.equal([patched.status, patched.body.Message], [200, "API updated"], patched.text);
  const { text } = await service.ask("GET", at);
  const [before, after] = [JSON.parse(definitionOf("/a/", { name: "first" })), JSON.parse(text)];
  assert.equal(after["x-gw-streaming"], before["x-gw-streaming"]);
  assert.equal([after.info.title, after.openapi], ["Second", "3.0.3"]);
  assert.is(after["x-gw-api-gateway"].server.listenPath.value, "/moved/");

  await service.ask("PUT", at, yamlDefinitionOf("/a/"), { "content-type": "text/yaml" });
  assert.is((await service.ask("PATCH", at, description, ownType)).status, 200);
  const yaml = (await service.ask("GET", at)).text;
  assert.match(yaml, "root.big = 9007199254740993");
  assert.match(yaml, /title"?: "?Second/);

  const extended = await service.ask("PATCH", at, definitionOf("/a/"), ownType);
  assert.equal(extended.status, 400);
  assert.is((await service.ask("PATCH", `${at}?mockResponse=true`, description, ownType)).status, 400);
  assert.is((await service.ask("PATCH", `${at}?authentication=maybe`, description, ownType)).status, 422);
  await service.close();
});

test("a definition is validated without being stored", async () => {
  const service = await startTestService(await freshFile());
  const right = await service.ask("POST", `${path}/validate`, definitionOf("/a/"), ownType);
  assert.equal([right.status, right.body.Status], [200, "OK"]);
  const wrong = await service.ask(
    "POST",
    `${path}/validate`,
    definitionOf("/a/", { mapping: "root = " }),
    ownType,
  );
  assert.is(wrong.status, 400);
  assert.ok((wrong.body.Errors ?? []).length > 0);
  assert.equal((await service.ask("GET", path)).body, { apis: [], pages: 0 });
  await service.close();
});

test("writes return warnings, and APIs are listed at both paths", async () => {
  const service = await startTestService(await freshFile());
  const text = definitionOf("/w/", { id: "w", mapping: "let unused = 1\nroot = this" });
  const tried = await service.ask("POST", `${path}/validate`, text, ownType);
  const made = await service.ask("POST", path, text, ownType);
  assert.is(made.status, 200);
  assert.ok((made.body.Errors ?? []).length > 0);
  assert.equal(made.body.Errors, tried.body.Errors);
  const replaced = await service.ask("PUT", `${path}/w`, text, ownType);
  assert.equal([replaced.status, replaced.body.Errors], [200, tried.body.Errors]);
  const clean = await service.ask("PUT", `${path}/w`, definitionOf("/w/", { id: "w" }), ownType);
  assert.equal([clean.status, clean.body.Errors], [200, undefined]);
  const { body } = await service.ask("GET", "/apis?page_size=1&q=w");
  assert.is(body.pages, 1);
  assert.equal(body, (await service.ask("GET", `${path}?page_size=1&q=w`)).body);
  await service.close();
});

test("an API referenced as a version is deleted after its referrers", async () => {
  const service = await startTestService(await freshFile());
  const make = async (definition: string) =>
    assert.is((await service.ask("POST", path, definition, ownType)).status, 200);
  const hidden = JSON.parse(definitionOf("/orders/", { id: "orders-v2" }));
  hidden["x-gw-api-gateway"].info.state.internal = true;
  await make(JSON.stringify(hidden));
  const base = JSON.parse(definitionOf("/orders/", { id: "orders" }));
  const versions = [{ name: "v2", id: "orders-v2" }];
  base["x-gw-api-gateway"].info.versioning = { enabled: true, location: "url", versions };
  await make(JSON.stringify(base));
  await make(definitionOf("/other/", { id: "other", name: "like orders-v2" }));
  const refused = await service.ask("DELETE", `${path}/orders-v2`);
  assert.equal([refused.status, refused.body.Message], [409, "This API is needed by `orders`."]);
  for (const id of ["orders", "orders-v2", "other"]) {
    assert.is((await service.ask("DELETE", `${path}/${id}`)).status, 200, id);
  }
  await service.close();
});

test("a definition can be sent as the file of a form, and is stored unchanged", async () => {
  const service = await startTestService(await freshFile());
  const send = async (method: string, at: string, parts: Readonly<Record<string, File | string>>) => {
    const form = new FormData();
    for (const [name, part] of Object.entries(parts)) form.append(name, part);
    const headers = { authorization: keys.own };
    const response = await fetch(`${service.address}/api${at}`, { method, headers, body: form });
    const answer = (await response.json()) as { readonly ID?: string; readonly Message: string };
    return { status: response.status, body: answer };
  };
  const json = new File([definitionOf("/a/")], "a.json", { type: "application/json" });
  const made = await send("POST", path, { file: json });
  assert.is(made.status, 200, JSON.stringify(made.body));
  const at = `${path}/${made.body.ID}`;
  assert.is((await service.ask("GET", at)).text, definitionOf("/a/"));
  // Browsers know no media type for such files.
  const yaml = new File([yamlDefinitionOf("/b/")], "a.yaml");
  assert.is((await send("PUT", at, { file: yaml })).status, 200);
  const read = await service.ask("GET", at);
  assert.equal([read.text, read.headers.get("content-type")], [yamlDefinitionOf("/b/"), "application/yaml"]);
  for (const parts of [{}, { file: json, other: "x" }]) {
    const { status, body } = await send("POST", path, parts);
    assert.equal([status, body.Message], [400, "A form has one part: the definition."]);
  }
  const broken = { "content-type": "multipart/form-data; boundary=x" };
  assert.is((await service.ask("POST", path, definitionOf("/b/"), broken)).status, 400);
  await service.close();
});

test("bodies that are not definitions are rejected with the reason", async () => {
  const service = await startTestService(await freshFile(), {
    settings: { limits: { max_body_bytes: 5000 } },
  });
  const status = async (body: string, type: string) =>
    (await service.ask("POST", path, body, { "content-type": type })).status;
  assert.is(await status("{", "application/json"), 400);
  assert.is(await status("", "application/vnd.gw.streams.oas"), 400);
  assert.is(await status("[]", "application/json"), 400);
  assert.is(await status("<x/>", "application/xml"), 415);
  assert.is(await status(" ".repeat(5001), "application/yaml"), 413);
  assert.is(await status(definitionOf("/a/"), "application/vnd.gw.streams.oas; charset=utf-8"), 200);
  const plain = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}`;
  const { body } = await service.ask("POST", path, plain, ownType);
  assert.is(body.Message, "The payload should contain x-gw-api-gateway and/or x-gw-streaming.");
  await service.close();
});

test("definitions read no files and no other hosts", async () => {
  const service = await startTestService(await freshFile());
  const references = ["./secret.json", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:1/x.json"];
  for (const reference of references) {
    const text = definitionOf("/a/").replace('"paths": {}', `"paths": { "/x": { "$ref": "${reference}" } }`);
    const { status, body } = await service.ask("POST", path, text, ownType);
    assert.is(status, 400, reference);
    assert.equal(
      body.Errors?.map(({ line }) => line),
      [4],
      reference,
    );
  }
  const imported = definitionOf("/a/", { mapping: 'from "/etc/passwd"' });
  assert.is((await service.ask("POST", path, imported, ownType)).status, 400);
  await service.close();
});

test("the schema of definitions is available for each OpenAPI version", async () => {
  const service = await startTestService(await freshFile());
  const at = "/schemas/apidefs/streams-oas";
  const { body } = await service.ask("GET", `${at}?oasVersion=3.0.3&pretty=true`);
  assert.is(body.$schema, "https://json-schema.org/draft/2020-12/schema");
  const unknown = await service.ask("GET", `${at}?oasVersion=4.0.0`);
  assert.equal(
    [unknown.status, unknown.body.Message],
    [500, "Could not retrieve schema. schema not found for version."],
  );
  await service.close();
});

test.run();
