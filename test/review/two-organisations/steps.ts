// The steps of two organisations, each compared with the model.

import { request } from "node:http";
import fc from "fast-check";
import { until } from "../../harness/wait.ts";
import {
  type Answered,
  type Api,
  assigned,
  Broken,
  channels,
  comparePaths,
  definition,
  domains,
  ensure,
  holderOf,
  hosts,
  ids,
  isBelow,
  isOwnClash,
  isTaken,
  type Model,
  marker,
  type Name,
  names,
  otherOf,
  pathBelow,
  paths,
  segmentsOf,
  type World,
} from "./model.ts";
import { sharing } from "./sharing.ts";

/** The default host of requests, which no organisation owns. */
const anywhere = "127.0.0.1";

/** Sends a request for a path of a host to the gateway. */
function post(url: string, key: string, host = anywhere): Promise<{ status: number; words: string }> {
  const headers = { host, ...(key !== "" && { "x-api-key": key }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, words: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on("error", reject);
    sent.end("x");
  });
}

/** Waits until the gateway serves the APIs of the model. */
export async function settle({ apis }: Model, { manage }: World): Promise<void> {
  const wanted = [...apis.keys()].sort().join(" ");
  await until(
    async () => {
      const { text } = await manage("operator", "GET", "/deployments?p=1");
      const [newest] = (
        JSON.parse(text) as {
          Data: {
            apis: { id: string }[];
            gateways: { outcomes: { outcome: string }[] }[];
            failures: object[];
          }[];
        }
      ).Data;
      ensure(newest?.failures.length === 0, "everything that was taken is deployed");
      const outcomes = newest?.gateways.flatMap((gateway) => gateway.outcomes) ?? [];
      const stuck = outcomes.find(({ outcome }) => outcome === "rolled back");
      ensure(stuck === undefined, `every deployment is served: ${JSON.stringify(stuck)}`);
      return (
        newest?.apis
          .map(({ id }) => id)
          .sort()
          .join(" ") === wanted && newest.gateways.length > 0
      );
    },
    { what: `the deployment of ${wanted}` },
  );
}

/** Returns everything that the services tell an organisation about its own data. */
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
    world.attempts += 1;
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
  readonly domain: string | undefined;
  readonly channel: string;
  readonly isKeyed: boolean;
  constructor(
    by: Name,
    id: string,
    path: string,
    domain: string | undefined,
    channel: string,
    isKeyed: boolean,
  ) {
    super(by);
    this.id = id;
    this.path = path;
    this.domain = domain;
    this.channel = channel;
    this.isKeyed = isKeyed;
  }
  async act(model: Model, world: World): Promise<void> {
    const { by: owner, id, path, domain, channel, isKeyed } = this;
    world.counter += 1;
    const api: Api = { owner, path, domain, channel, isKeyed, text: world.counter };
    const present = model.apis.get(id);
    const isOwn = present?.owner === owner;
    const sent = definition(id, api);
    const { status, text } = isOwn
      ? await world.manage(owner, "PUT", `/apis/streams/${id}`, sent)
      : await world.manage(owner, "POST", "/apis/streams", sent);
    const isForeign = (world.owners.get(id) ?? owner) !== owner;
    if (isForeign || isTaken(model, api))
      ensure(status === 403 || status === 409, `${this}: ${status} ${text}`);
    else if (!isOwnClash(model, id, api)) ensure(status === 200, `${this}: ${status} ${text}`);
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

/** Requests everything about an id: unless it is or was its own, the responses must be those for an unknown id. */
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
      ...definition("", {
        owner: this.by,
        path: "/v/",
        domain: undefined,
        channel: "v",
        isKeyed: false,
        text: 0,
      }),
    };
    await world.manage(this.by, "POST", "/apis/streams/validate", versioned);
  }
}

/** Creates a policy for an API, makes a developer request access, and gets the resulting key. */
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

/** Checks that `count()` continues from the previous calls of the same organisation. */
async function tally(
  url: string,
  key: string,
  { owner, domain }: Api,
  counted: World["counted"],
): Promise<void> {
  const { status, words } = await post(url, key, domain);
  if (status === 200) counted[owner] += 1;
  ensure(words === `${counted[owner]}`, `${url} of ${owner} counts ${words}, not ${counted[owner]}`);
}

/** Checks that each API answers as the model says, whichever organisation's key the request has. */
export class Call extends Step {
  async act({ apis, keys }: Model, { served, counted }: World): Promise<void> {
    for (const [id, api] of apis) {
      const { owner, domain, isKeyed, channel, text } = api;
      const path = pathBelow(api.path);
      const heard = [...apis.values()].some((each) => each.owner === owner && each.channel === channel);
      for (const { key, api: ofKey, owner: holder } of [...keys, { key: "", api: "", owner }]) {
        const isAllowed = !isKeyed || (ofKey === id && holder === owner);
        for (const at of ["say", "tell"]) {
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
            const answer = await post(`${served}${path}${at}`, key, domain);
            last = `${answer.status} ${answer.words}`;
            try {
              // Only permitted requests may succeed late.
              const isOpen = !isAllowed && answer.status === 200;
              ensure(!isOpen, `${id} of ${owner} is opened by a key of ${holder} for ${ofKey}`);
              return isRight(answer);
            } catch (error) {
              broken = error;
              return true;
            }
          };
          const what = `the answer of ${path}${at}`;
          await until(isOver, { what }).catch((error: unknown) => {
            broken = new Broken(`${id} of ${owner} at ${at}: ${last}`, { cause: error });
          });
          if (broken !== undefined) throw broken;
        }
        if (isAllowed) await tally(`${served}${path}tally`, key, api, counted);
      }
    }
  }
}

/** Returns the API for a path of a host name: APIs with that name come before those without. */
function foundAt(model: Model, name: string, path: string): readonly [id: string, api: Api] | undefined {
  const holder = holderOf(model, name);
  const found = [...model.apis].filter(
    ([, { owner, path: mount, domain }]) =>
      isBelow(path, mount) && (domain ?? name) === name && (holder ?? owner) === owner,
  );
  const rank = ({ domain }: Api) => (domain === undefined ? 1 : 0);
  return found.sort(([, one], [, other]) => rank(one) - rank(other) || comparePaths(one.path, other.path))[0];
}

/** Checks that a host name of one organisation does not serve any API of the other one. */
export class CallHosts extends Step {
  async act(model: Model, { served }: World): Promise<void> {
    for (const [spelled, name] of hosts) {
      const holder = holderOf(model, name);
      for (const path of paths.map(pathBelow)) {
        const [id = "", api] = foundAt(model, name, path) ?? [];
        const isSaid =
          api !== undefined && segmentsOf(api.path).length === segmentsOf(path).length && !api.isKeyed;
        const expected = api?.isKeyed === true ? 401 : isSaid ? 200 : 404;
        let last = "";
        const isRight = async () => {
          const { status, words } = await post(`${served}${path}say`, "", spelled);
          last = `${status} ${words}`;
          // The deployment may still be in progress, but the gateway must never show data of another organisation.
          const isForeign = holder !== undefined && words.includes(marker[otherOf[holder]]);
          ensure(!isForeign, `${spelled} of ${holder} answers ${last}`);
          return status === expected && (!isSaid || words.includes(`${id} ${api.text} says`));
        };
        const what = `${expected} at ${spelled}${path}`;
        await until(isRight, { what }).catch((error: unknown) => {
          if (error instanceof Broken) throw error;
          throw new Broken(`${what}: ${last}`, { cause: error });
        });
      }
    }
  }
}

/**
 * Checks that a name on a broker is accepted if its longest assigned prefix belongs to the organisation that writes it.
 */
class ShareName extends Step {
  readonly kind: string;
  readonly name: string;
  constructor(by: Name, kind: string, name: string) {
    super(by);
    this.kind = kind;
    this.name = name;
  }
  async act(_model: Model, { manage }: World): Promise<void> {
    const { by: owner, kind, name } = this;
    const longest = (of: Name) =>
      Math.max(
        0,
        ...assigned[of].consumer_groups
          .filter((prefix) => name.startsWith(prefix))
          .map(({ length }) => length),
      );
    const isOwn = longest(owner) > longest(otherOf[owner]);
    const described = {
      owner,
      path: `/${owner}-names/`,
      domain: undefined,
      channel: "v",
      isKeyed: false,
      text: 0,
    };
    const whole = definition("", described) as { "x-gw-streaming": { streams: Record<string, object> } };
    whole["x-gw-streaming"].streams.shares = { output: { drop: {} }, ...sharing[kind]?.(name) };
    const { status, text } = await manage(owner, "POST", "/apis/streams/validate", whole);
    const isRefused = /GW433[47]/.test(text);
    ensure(isRefused === !isOwn, `${this}: ${status} ${text}`);
  }
}

const by = fc.constantFrom(...names);
const id = fc.constantFrom(...ids);
const put = fc
  .tuple(
    by,
    id,
    fc.constantFrom(...paths),
    fc.constantFrom(...domains),
    fc.constantFrom(...channels),
    fc.boolean(),
  )
  .map((drawn) => new Put(...drawn));
const look = fc.tuple(by, id).map((drawn) => new Look(...drawn));
const shareName = fc
  .tuple(
    by,
    fc.constantFrom(...Object.keys(sharing)),
    fc.constantFrom("red-a", "blue-a", "both-a", "both-blue-a", "a", "RED-a"),
  )
  .map((drawn) => new ShareName(...drawn));
const callHosts = by.map((drawn) => new CallHosts(drawn));

/** The commands to draw from. `put` waits for a deployment, so several checks follow each. */
export const commands = [
  put,
  put,
  fc.tuple(by, id).map((drawn) => new Delete(...drawn)),
  fc.tuple(by, id).map((drawn) => new Grant(...drawn)),
  by.map((drawn) => new Call(drawn)),
  ...[look, look, look, shareName, shareName, callHosts, callHosts],
];
