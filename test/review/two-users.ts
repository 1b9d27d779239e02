// Two users of one organisation, each with a grant for separate APIs, call random operations of the management service.
// All text of an API carries a marker of its owner. No response may contain the other's marker or ids, no call may
// change the other's data, and the response for an API of the other must be the same as for an unknown API.

import fc from "fast-check";
import { ownType } from "../management/definitions.ts";
import { type Answer, startTestService, type TestService } from "../management/services.ts";
import { type DescriptionDocument, operationsOf } from "../runtime/portal/fuzz/description.ts";
import { freshFile } from "../runtime/store/databases.ts";
import type { Campaign } from "./campaign.ts";

const names = ["ann", "ben"] as const;
type Name = (typeof names)[number];
const marker = { ann: "Zanzibar", ben: "Quetzal" } as const;
const otherOf = { ann: "ben", ben: "ann" } as const;
const ids = ["ann-1", "ann-2", "ben-1", "ben-2"];
const nowhere = "nowhere";

const ownerOf = (id: string): Name => (id.startsWith("ann") ? "ann" : "ben");
const hasTrace = (text: string, of: Name) => new RegExp(`${marker[of]}|${of}-\\d`, "i").test(text);

/** Returns the definition of an API; its name, stream and mapping contain the marker of its author. */
function definition(by: Name, id: string, text: number): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: `${marker[by]} title`, version: "1.0.0", description: `${marker[by]} described` },
    paths: {},
    "x-gw-api-gateway": {
      info: { id, name: `${marker[by]} ${text}`, state: { active: true } },
      server: { listenPath: { value: `/${by}-${text % 3}/` } },
    },
    "x-gw-streaming": {
      streams: {
        [marker[by]]: {
          input: { http_server: { path: "/say" } },
          pipeline: { processors: [{ mapping: `root = "${marker[by]} ${text}"` }] },
          output: { inproc: `c${text % 2}` },
        },
      },
    },
  });
}

/** One request of a user. */
interface Step {
  readonly by: Name;
  readonly operation: number;
  readonly id: string;
  readonly sentId: string;
  /** Whether the path has the file name of a stream's picture in place of the stream's name. */
  readonly isPicture: boolean;
  readonly number: number;
}

const steps = fc.record<Step>({
  by: fc.constantFrom(...names),
  operation: fc.nat(),
  id: fc.constantFrom(...ids, ...ids, nowhere),
  sentId: fc.constantFrom(...ids),
  isPicture: fc.boolean(),
  number: fc.integer({ min: 1, max: 9 }),
});

/** The service, and a client for each user. */
interface World {
  readonly service: TestService;
  readonly operations: ReturnType<typeof operationsOf>;
  ask(by: Name, method: string, path: string, body?: unknown): Promise<Answer>;
}

/** The campaign. */
export const twoUsers: Campaign = {
  claim: "two users with different APIs neither see nor change anything of each other",
  async prepare() {
    const service = await startTestService(await freshFile(), { settings: { tail: { enabled: true } } });
    const keys = new Map<Name, string>();
    for (const name of names) {
      const apis = [{ api: `${name}-*`, permissions: ["read", "write"] }];
      const { body } = await service.ask("POST", "/users", { name, permissions: [], apis });
      keys.set(name, (body.Meta as { access_key: string }).access_key);
    }
    const { body } = await service.ask("GET", "/openapi.json");
    const operations = operationsOf(body as unknown as DescriptionDocument).filter(
      ({ path }) => !path.startsWith("/deployments/current"),
    );
    const world: World = {
      service,
      operations,
      ask: (by, method, path, sent) =>
        service.ask(method, path, sent, {
          authorization: keys.get(by) ?? "",
          ...(typeof sent === "string" && ownType),
        }),
    };
    return {
      async round(seed) {
        const findings: string[] = [];
        const drawn = fc.sample(steps, { seed, numRuns: 120 });
        for (const id of ids) {
          const by = ownerOf(id);
          await world.ask(by, "POST", "/apis/streams", definition(by, id, ids.indexOf(id)));
        }
        for (const step of drawn) {
          const faults = await take(step, world);
          findings.push(...faults.map((fault) => `seed ${seed}: ${JSON.stringify(step)}: ${fault}`));
        }
        return { attempts: drawn.length, findings };
      },
      close: () => service.close(),
    };
  },
};

/** Takes a step, and returns the violations that it caused. */
async function take(step: Step, world: World): Promise<readonly string[]> {
  const { by, id, sentId, number } = step;
  const other = otherOf[by];
  const { method, path, body } = world.operations[step.operation % world.operations.length] ?? {
    method: "GET",
    path: "/apis",
  };
  const pathOf = (name: string) =>
    path
      // A response may repeat a name that was sent, so the name has the sender's own marker.
      .replace("{stream}", `${marker[by]}${step.isPicture ? ".svg" : ""}`)
      .replace("{number}", String(number))
      .replace("{version}", String(1 + (number % 3)))
      .replaceAll(/\{\w+\}/g, name);
  const sent =
    method === "GET" || method === "DELETE"
      ? undefined
      : body === undefined
        ? definition(by, sentId, number)
        : { name: "x", policy_id: "p", permissions: [], apis: [{ api: "*", permissions: ["write"] }] };
  const before = await possessions(world, other);
  const answer = await world.ask(by, method, pathOf(id), sent);
  const after = await possessions(world, other);
  const faults: string[] = [];
  const asked = `${method} ${pathOf(id)}`;
  // A refusal repeats the path of its request.
  const reported = answer.text.replaceAll(`/api${pathOf(id)}`, "");
  if (hasTrace(reported, other)) faults.push(`${asked} shows ${by} what is of ${other}: ${reported}`);
  if (answer.status >= 500) faults.push(`${asked}: ${answer.status} ${answer.text}`);
  if (before !== after) faults.push(`${asked} of ${by} changes ${before} of ${other} to ${after}`);
  // A path without an id would send the same request twice, and a deployment may be forgotten in between.
  if (ownerOf(id) === other && pathOf(id) !== pathOf(nowhere)) {
    const there = `${answer.status} ${reported}`;
    const missing = await world.ask(by, method, pathOf(nowhere), sent);
    const expected = `${missing.status} ${missing.text.replaceAll(`/api${pathOf(nowhere)}`, "")}`;
    if (there !== expected) faults.push(`${asked} of ${by} is answered ${there}, not ${expected}`);
  }
  return faults;
}

/** Returns a user's data, as the operator sees it. */
async function possessions({ service }: World, of: Name): Promise<string> {
  const answers: string[] = [];
  for (const id of ids.filter((each) => ownerOf(each) === of)) {
    const { status, text } = await service.ask("GET", `/apis/streams/${id}`);
    answers.push(status === 200 ? text : "none");
    answers.push((await service.ask("GET", `/audit?object=${id}`)).text.replaceAll(/"number":\d+/g, ""));
  }
  return answers.join("\n");
}
