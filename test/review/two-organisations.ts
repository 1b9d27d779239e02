// Two organisations do random things at one management service, its portal and its gateway. Their ids, paths and channels come
// from the same few names; all other text carries a marker of its owner. No answer may hold the other's marker, what the other
// has may not change, and the gateway answers as the model of both says.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import type { Campaign, RoundResult } from "./campaign.ts";

const names = ["red", "blue"] as const;
type Name = (typeof names)[number];
const marker = { red: "Zanzibar", blue: "Quetzal" } as const;
const otherOf = { red: "blue", blue: "red" } as const;

const ids = ["one", "two", "three"];
const paths = ["/p/", "/p/x/", "/q/", "/Q/y/", "/r/"];
const channels = ["c", "d"];

interface Api {
  readonly owner: Name;
  readonly path: string;
  readonly channel: string;
  readonly isKeyed: boolean;
  /** Counts up with each text. */
  readonly text: number;
}

/** What is there, as far as both organisations can tell. */
interface Model {
  readonly apis: Map<string, Api>;
  readonly keys: { readonly owner: Name; readonly key: string; readonly api: string }[];
}

interface World {
  /** Which organisation an id has belonged to since the service started. */
  readonly owners: Map<string, Name>;
  readonly served: string;
  manage(by: string, method: string, path: string, body?: object): Promise<Answered>;
  portal(by: Name, method: string, path: string, body?: object): Promise<Answered>;
  counter: number;
  /** Calls that each organisation has counted. */
  readonly counted: Record<Name, number>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** What a command found to be wrong. */
class Broken extends Error {}

function ensure(holds: boolean, claim: string): void {
  if (!holds) throw new Broken(claim);
}

function definition(id: string, { owner, path, channel, isKeyed, text }: Api): object {
  const say = (words: string) => ({
    processors: [{ mapping: `root = "${marker[owner]} ${id} ${text} ${words}"` }],
  });
  return {
    openapi: "3.1.0",
    info: { title: `${marker[owner]} title`, version: "1.0.0", description: `${marker[owner]} described` },
    paths: {},
    ...(isKeyed && {
      components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
      security: [{ key: [] }],
    }),
    "x-gw-api-gateway": {
      info: { id, name: `${marker[owner]} ${id}`, state: { active: true } },
      server: {
        listenPath: { value: path },
        ...(isKeyed && { authentication: { enabled: true, securitySchemes: { key: { enabled: true } } } }),
      },
    },
    "x-gw-streaming": {
      streams: {
        say: {
          input: { http_server: { path: "/say" } },
          pipeline: say("says"),
          output: { sync_response: {} },
        },
        tally: {
          input: { http_server: { path: "/tally" } },
          pipeline: { processors: [{ mapping: 'root = count("calls").string()' }] },
          output: { sync_response: {} },
        },
        tell: { input: { http_server: { path: "/tell" } }, output: { inproc: channel } },
        hear: { input: { inproc: channel }, pipeline: say("hears"), output: { sync_response: {} } },
      },
    },
  };
}

const isNested = (one: string, other: string) =>
  one.toLowerCase().startsWith(other.toLowerCase()) || other.toLowerCase().startsWith(one.toLowerCase());

function isTaken({ apis }: Model, owner: Name, path: string): boolean {
  return [...apis.values()].some((api) => api.owner !== owner && isNested(api.path, path));
}

/** Whether an organisation's own APIs stand in each other's way, which the compiler says. */
function isOwnClash({ apis }: Model, id: string, owner: Name, path: string): boolean {
  return [...apis].some(([other, api]) => other !== id && api.owner === owner && isNested(api.path, path));
}

/** Waits until the gateway serves what the model has. */
async function settle({ apis }: Model, { manage }: World): Promise<void> {
  const wanted = [...apis.keys()].sort().join(" ");
  await until(
    async () => {
      const { text } = await manage("operator", "GET", "/deployments?p=1");
      const [newest] = (
        JSON.parse(text) as { Data: { apis: { id: string }[]; gateways: object[]; failures: object[] }[] }
      ).Data;
      ensure(newest?.failures.length === 0, "everything that was taken is deployed");
      return (
        newest?.apis
          .map(({ id }) => id)
          .sort()
          .join(" ") === wanted && newest.gateways.length > 0
      );
    },
    { timeout: 60_000, what: `the deployment of ${wanted}` },
  );
}

/** What an organisation has, as it is told. */
async function possessions({ manage, portal }: World, by: Name): Promise<string> {
  const answers = [
    await manage(by, "GET", "/apis/streams?sort=name"),
    await manage(by, "GET", "/users"),
    await manage(by, "GET", "/audit"),
    await portal(by, "GET", "/policies"),
    await portal(by, "GET", "/requests"),
  ];
  return answers.map(({ text }) => text.replaceAll(/"updated_at":"[^"]*"/g, "")).join("\n");
}

abstract class Step implements fc.AsyncCommand<Model, World> {
  readonly by: Name;
  constructor(by: Name) {
    this.by = by;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, world: World): Promise<void> {
    const before = await possessions(world, otherOf[this.by]);
    await this.act(model, world);
    const after = await possessions(world, otherOf[this.by]);
    ensure(before === after, `${this} changes nothing of ${otherOf[this.by]}: ${before} became ${after}`);
  }
  protected abstract act(model: Model, world: World): Promise<void>;
  toString(): string {
    return `${this.constructor.name}${JSON.stringify({ ...this })}`;
  }
}

class Put extends Step {
  readonly id: string;
  readonly path: string;
  readonly channel: string;
  readonly isKeyed: boolean;
  constructor(by: Name, id: string, path: string, channel: string, isKeyed: boolean) {
    super(by);
    this.id = id;
    this.path = path;
    this.channel = channel;
    this.isKeyed = isKeyed;
  }
  async act(model: Model, world: World): Promise<void> {
    const { by: owner, id, path, channel, isKeyed } = this;
    world.counter += 1;
    const api: Api = { owner, path, channel, isKeyed, text: world.counter };
    const present = model.apis.get(id);
    const isOwn = present?.owner === owner;
    const sent = definition(id, api);
    const { status, text } = isOwn
      ? await world.manage(owner, "PUT", `/apis/streams/${id}`, sent)
      : await world.manage(owner, "POST", "/apis/streams", sent);
    const isForeign = (world.owners.get(id) ?? owner) !== owner;
    if (isForeign || isTaken(model, owner, path))
      ensure(status === 403 || status === 409, `${this}: ${status} ${text}`);
    else if (!isOwnClash(model, id, owner, path)) ensure(status === 200, `${this}: ${status} ${text}`);
    if (status !== 200) return;
    model.apis.set(id, api);
    world.owners.set(id, owner);
    await settle(model, world);
  }
}

class Delete extends Step {
  readonly id: string;
  constructor(by: Name, id: string) {
    super(by);
    this.id = id;
  }
  async act(model: Model, world: World): Promise<void> {
    const isOwn = model.apis.get(this.id)?.owner === this.by;
    const { status } = await world.manage(this.by, "DELETE", `/apis/streams/${this.id}`);
    ensure(status === (isOwn ? 200 : 404), `${this}: ${status}`);
    if (isOwn) model.apis.delete(this.id);
    if (isOwn) await settle(model, world);
  }
}

/** Everything that can be asked about an id is answered as for one that nobody has. */
class Look extends Step {
  readonly id: string;
  constructor(by: Name, id: string) {
    super(by);
    this.id = id;
  }
  async act(model: Model, world: World): Promise<void> {
    const isOwn = model.apis.get(this.id)?.owner === this.by;
    const asked: readonly (readonly [string, string])[] = [
      ["GET", "/apis/streams/ID"],
      ["GET", "/apis/streams/ID/versions"],
      ["GET", "/apis/streams/ID/versions/1"],
      ["GET", "/apis/streams/ID/topology"],
      ["GET", "/apis/streams/ID/topology/say.svg"],
      ["GET", "/apis/streams/ID/asyncapi"],
      ["GET", "/streams?api=ID"],
      ["GET", "/audit?object=ID"],
      ["POST", "/streams/ID/say/tail"],
      ["GET", "/streams/ID/say/tail"],
      ["GET", "/deployments"],
      ["GET", "/gateways"],
    ];
    for (const [method, at] of asked) {
      const there = await world.manage(this.by, method, at.replace("ID", this.id));
      if (isOwn || world.owners.get(this.id) === this.by) continue;
      const nowhere = await world.manage(this.by, method, at.replace("ID", "nowhere"));
      ensure(
        there.status === nowhere.status && there.text === nowhere.text,
        `${this}: ${method} ${at} is answered ${there.text}, not ${nowhere.text}`,
      );
    }
    const versioned = {
      ...definition("", { owner: this.by, path: "/v/", channel: "v", isKeyed: false, text: 0 }),
    };
    await world.manage(this.by, "POST", "/apis/streams/validate", versioned);
  }
}

/** A policy for an API, a developer who asks for it, and the key that comes of it. */
class Grant extends Step {
  readonly id: string;
  constructor(by: Name, id: string) {
    super(by);
    this.id = id;
  }
  async act(model: Model, world: World): Promise<void> {
    const { by, id } = this;
    world.counter += 1;
    const name = `${marker[by]} ${world.counter}`;
    const owner = model.apis.get(id)?.owner ?? by;
    const policy = await world.portal(by, "POST", "/policies", { name, access_rights: { [id]: {} } });
    ensure(policy.status === (owner === by ? 200 : 422), `${this}: ${policy.status} ${policy.text}`);
    const catalogue = await world.portal(by, "POST", "/documentation", { api_id: id, documentation: "ZG9j" });
    ensure(catalogue.status === (owner === by ? 200 : 422), `${this}: ${catalogue.status} ${catalogue.text}`);
    if (policy.status !== 200) return;
    const messageOf = ({ text }: Answered) => (JSON.parse(text) as { Message: string }).Message;
    const email = `${marker[by].toLowerCase()}${world.counter}@example.com`;
    const developer = await world.portal(by, "POST", "/developers", {
      email,
      password: `a long password ${name}`,
    });
    const request = await world.portal(by, "POST", "/requests", {
      by_user: messageOf(developer),
      apply_policies: [messageOf(policy)],
      version: "v2",
    });
    const foreign = await world.portal(otherOf[by], "PUT", `/requests/approve/${messageOf(request)}`);
    ensure(foreign.status === 404, `${this}: ${otherOf[by]} approves it`);
    const approved = await world.portal(by, "PUT", `/requests/approve/${messageOf(request)}`);
    ensure(approved.status === 200, `${this}: ${approved.status} ${approved.text}`);
    const { RawKey: key } = JSON.parse(approved.text) as { RawKey: string };
    model.keys.push({ owner: by, key, api: id });
  }
}

/** `count()` goes on from where the calls of the same organisation left it. */
async function tally(url: string, key: string, owner: Name, counted: World["counted"]): Promise<void> {
  const headers = key === "" ? {} : { "x-api-key": key };
  const answer = await fetch(url, { method: "POST", body: "x", headers });
  const words = await answer.text();
  if (answer.status === 200) counted[owner] += 1;
  ensure(words === `${counted[owner]}`, `${url} of ${owner} counts ${words}, not ${counted[owner]}`);
}

/** The gateway answers at every API as the model says, whoever's key it is asked with. */
class Call extends Step {
  async act({ apis, keys }: Model, { served, counted }: World): Promise<void> {
    for (const [id, { owner, path, isKeyed, channel, text }] of apis) {
      const heard = [...apis.values()].some((each) => each.owner === owner && each.channel === channel);
      for (const { key, api, owner: holder } of [...keys, { key: "", api: "", owner }]) {
        const isAllowed = !isKeyed || (api === id && holder === owner);
        for (const at of ["say", "tell"]) {
          const ask = async () => {
            const headers = key === "" ? {} : { "x-api-key": key };
            const answer = await fetch(`${served}${path}${at}`, { method: "POST", body: "x", headers });
            return { status: answer.status, words: await answer.text() };
          };
          const isRight = ({ status, words }: { status: number; words: string }) => {
            ensure(!words.includes(marker[otherOf[owner]]), `${id} of ${owner} answers ${words}`);
            if (!isAllowed) return status === 401 || status === 403;
            return (
              status === 200 &&
              (at === "say" ? words.includes(`${id} ${text} says`) : heard && words.includes(marker[owner]))
            );
          };
          let last = "";
          let broken: unknown;
          const isOver = async () => {
            const answer = await ask();
            last = `${answer.status} ${answer.words}`;
            try {
              // Only what is allowed may take a moment.
              const isOpen = !isAllowed && answer.status === 200;
              ensure(!isOpen, `${id} of ${owner} is opened by a key of ${holder} for ${api}`);
              return isRight(answer);
            } catch (error) {
              broken = error;
              return true;
            }
          };
          const what = `the answer of ${path}${at}`;
          await until(isOver, { timeout: 20_000, what }).catch((error: unknown) => {
            broken = new Broken(`${id} of ${owner} at ${at}: ${last}`, { cause: error });
          });
          if (broken !== undefined) throw broken;
        }
        if (isAllowed) await tally(`${served}${path}tally`, key, owner, counted);
      }
    }
  }
}

const by = fc.constantFrom(...names);
const id = fc.constantFrom(...ids);
const put = fc
  .tuple(by, id, fc.constantFrom(...paths), fc.constantFrom(...channels), fc.boolean())
  .map((drawn) => new Put(...drawn));
const commands = [
  put,
  put,
  put,
  fc.tuple(by, id).map((drawn) => new Delete(...drawn)),
  fc.tuple(by, id).map((drawn) => new Look(...drawn)),
  fc.tuple(by, id).map((drawn) => new Grant(...drawn)),
  by.map((drawn) => new Call(drawn)),
];

/** The campaign. */
export const twoOrganisations: Campaign = {
  claim: "two organisations neither see nor change anything of each other",
  async prepare() {
    const cwd = temporaryDirectory("two-organisations");
    const settings =
      "streaming: { enabled: true }\norganisation: operator\ngateway: gateway.yaml\ntail: { enabled: true }\n";
    writeFileSync(join(cwd, "management.yaml"), settings);
    writeFileSync(
      join(cwd, "gateway.yaml"),
      "streaming: { enabled: true }\nstore: sqlite:./portal.db\nportal: { enabled: true }\n",
    );
    const keyOf = (name: string) => `key-of-${name}`;
    const program = startSluice(["serve", "management.yaml", "--all-in-one"], {
      cwd,
      env: {
        GW_MANAGEMENT_API_KEYS: ["operator", ...names].map((name) => `${name}:${keyOf(name)}`).join(","),
        GW_PORTAL_ACCESS_TOKENS: names.map((name) => `${name}:${keyOf(name)}`).join(","),
        GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
        GW_LISTEN: "127.0.0.1:0",
        GW_ADMIN_LISTEN: "127.0.0.1:0",
      },
    });
    const [, service = ""] = await program.matching(/"management":"(http[^"]+)"/);
    const [, served = ""] = await program.matching(/"gateway":"(http[^"]+)"/);
    const ask = async (name: string, method: string, url: string, body?: object): Promise<Answered> => {
      const answer = await fetch(url, {
        method,
        headers: {
          authorization: keyOf(name),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const foreign = names.filter((each) => each !== name && name !== "operator");
      const seen = foreign.find((each) => text.toLowerCase().includes(marker[each].toLowerCase()));
      ensure(seen === undefined, `${method} ${url} shows ${name} what is of ${seen}: ${text}`);
      ensure(answer.status < 500, `${method} ${url}: ${answer.status} ${text}`);
      return { status: answer.status, text };
    };
    const world: World = {
      owners: new Map(),
      served,
      manage: (name, method, path, body) => ask(name, method, `${service}/api${path}`, body),
      portal: (name, method, path, body) => ask(name, method, `${served}/api/portal${path}`, body),
      counter: 0,
      counted: { red: 0, blue: 0 },
    };
    const clear = async () => {
      for (const [each, owner] of world.owners) await world.manage(owner, "DELETE", `/apis/streams/${each}`);
      await settle({ apis: new Map(), keys: [] }, world);
    };
    return {
      async round(seed): Promise<RoundResult> {
        await clear();
        let attempts = 0;
        const property = fc.asyncProperty(
          fc.commands(commands, { maxCommands: 14, size: "max" }),
          async (drawn) => {
            const model: Model = { apis: new Map(), keys: [] };
            await fc.asyncModelRun(() => ({ model, real: world }), drawn);
            await new Call("red").run(model, world);
            attempts += 1;
          },
        );
        // A shrunk run would begin where the last one ended.
        const { failed, errorInstance, counterexample } = await fc.check(property, {
          seed,
          numRuns: 1,
          endOnFailure: true,
        });
        const told = `${String(errorInstance instanceof Error ? errorInstance.message : errorInstance)} after ${counterexample}`;
        return { attempts: Math.max(attempts, 1), findings: failed ? [`seed ${seed}: ${told}`] : [] };
      },
      async close() {
        await program.stop();
      },
    };
  },
};
