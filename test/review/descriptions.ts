// Tests the portal and the management service against their own OpenAPI descriptions.

import { portalPage } from "../../runtime/portal/page/page.ts";
import { installSchemathesis, runSchemathesis } from "../harness/schemathesis.ts";
import { definitionOf, ownType } from "../management/definitions.ts";
import { keys, startTestService } from "../management/services.ts";
import { type DescriptionDocument, operationsOf } from "../runtime/portal/fuzz/description.ts";
import { startPortal, tokens } from "../runtime/portal/portals.ts";
import { databases } from "../runtime/store/databases.ts";
import type { Campaign, PreparedCampaign } from "./campaign.ts";

/** A running interface, with its own description. */
interface Interface {
  readonly name: string;
  /** The base URL of its operations. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly description: DescriptionDocument;
}

/** Failures that the contract requires: an unknown OpenAPI version in this path is not a client error. */
const meantFailures = [{ path: "/schemas/apidefs/streams-oas", status: 500 }] as const;

/** The contract has a method here that OpenAPI 3.1 cannot describe. */
const undescribedMethod = "OPTIONS /requests/{id}: Allow header mismatch";

/** Waits for another deployment by design. */
const waiting = "/deployments/current";

/** Requests that schemathesis generates, against real services on PostgreSQL. */
export const descriptions: Campaign = {
  claim:
    "The portal and the management service answer every request as their descriptions say, and none with a failure.",
  prepare: async () => {
    const modules = await installSchemathesis();
    const { interfaces, close } = await startInterfaces("PostgreSQL");
    return {
      async round(seed) {
        const given = interfaces[seed % interfaces.length];
        if (given === undefined) return { attempts: 0, findings: [] };
        const { description, name, url, headers } = given;
        const meant = meantFailures.map(({ path }) => `GET ${path}: Server error`);
        const expected = [...meant, undescribedMethod];
        const run = { description, url, headers, seed, examples: 5, time: 60, expected };
        const { requests, findings } = await runSchemathesis(modules, run);
        return { attempts: requests, findings: findings.map((each) => `${name}: ${each}`) };
      },
      close,
    };
  },
};

/** The same claim for malformed requests that once caused failures; needs no Python. */
export const awkwardRequests: Campaign = {
  claim: descriptions.claim,
  async prepare(): Promise<PreparedCampaign> {
    const { interfaces, close } = await startInterfaces("PostgreSQL");
    return {
      async round() {
        const findings: string[] = [];
        let attempts = 0;
        for (const given of interfaces) {
          for (const operation of operationsOf(given.description)) {
            if (operation.path === waiting) continue;
            for (const { path, body } of awkwardOnes(operation)) {
              attempts += 1;
              const { method } = operation;
              const response = await fetch(`${given.url}${path}`, {
                method,
                headers: {
                  ...given.headers,
                  ...(body !== undefined && { "content-type": "application/json" }),
                },
                ...(body !== undefined && { body }),
              });
              const text = await response.text();
              const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
              const faults = operation.faultsOf(response.status, type, text);
              const isMeant = meantFailures.some(
                (meant) => meant.path === operation.path && meant.status === response.status,
              );
              if (response.status >= 500 && !isMeant) faults.push(`answered with ${response.status}`);
              for (const fault of faults)
                findings.push(`${given.name}: ${method} ${path} ${body ?? ""}: ${fault}`);
            }
          }
        }
        return { attempts, findings };
      },
      close,
    };
  },
};

interface Awkward {
  readonly path: string;
  readonly body?: string;
}

/** Yields a line break in a path, a repeated parameter, numbers beyond 31 bits, `null`s and unknown fields. */
function* awkwardOnes({
  method,
  path,
  parameters,
  body,
}: ReturnType<typeof operationsOf>[number]): Generator<Awkward> {
  const filled = (value: string) => path.replaceAll(/\{\w+\}/g, value);
  const queries = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const bodies = body === undefined ? [undefined] : awkwardBodies(body);
  const [first] = bodies;
  for (const value of ["a%0Ab", "2147483648", "%00", "a%2Fb"]) {
    yield { path: filled(value), ...(first !== undefined && { body: first }) };
  }
  for (const sent of bodies) yield { path: filled("a"), ...(sent !== undefined && { body: sent }) };
  if (method !== "GET") return;
  for (const name of queries) {
    for (const text of [
      `${name}=&${name}=junk`,
      `${name}=2147483648`,
      `${name}=junk`,
      `${name}=-1`,
      `${name}=`,
    ]) {
      yield { path: `${filled("a")}?${text}` };
    }
  }
}

function awkwardBodies(schema: object): readonly string[] {
  const known = "properties" in schema && typeof schema.properties === "object" ? schema.properties : {};
  const names = Object.keys(known ?? {});
  const all = (value: unknown) =>
    JSON.stringify({ ...Object.fromEntries(names.map((name) => [name, value])), x: 1 });
  return ["{}", "[]", "null", "{", all(null), all(2_147_483_648), all("a"), all([]), all({})];
}

async function startInterfaces(
  database: string,
): Promise<{ readonly interfaces: readonly Interface[]; close(): Promise<void> }> {
  const freshStore = databases[database];
  if (freshStore === undefined) throw new Error(`there is no database ${database}`);
  const service = await startTestService(await freshStore());
  await service.ask("POST", "/apis/streams", definitionOf("/a/", { id: "a" }), ownType);
  const portal = await startPortal(await freshStore(), [], { page: portalPage });
  const describe = async (name: string, url: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${url}/openapi.json`, { headers });
    const description: DescriptionDocument = JSON.parse(await answer.text());
    return { name, url, headers, description };
  };
  const interfaces = await Promise.all([
    describe("management", `${service.address}/api`, { authorization: keys.own }),
    describe("portal", `${portal.url}/api/portal`, { authorization: tokens.acme }),
    describe("own", `${portal.url}/portal/own`, { cookie: await logIn(portal) }),
  ]);
  return {
    interfaces,
    async close() {
      await Promise.all([service.close(), portal.close()]);
    },
  };
}

/** Returns the cookie of a developer who has logged in. */
async function logIn(portal: Awaited<ReturnType<typeof startPortal>>): Promise<string> {
  const email = "ada@example.com";
  const password = "correct horse battery";
  const { body } = await portal.ask("POST", "/developers", { email });
  const id = String(body.Message);
  await portal.ask("POST", `/developers/password/${id}`, { password });
  const answer = await fetch(`${portal.url}/portal/entrance/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: email, password }),
  });
  const [cookie = ""] = answer.headers.getSetCookie();
  if (answer.status !== 200)
    throw new Error(`logging in is answered ${answer.status} ${await answer.text()}`);
  return cookie.split(";", 1)[0] ?? "";
}
