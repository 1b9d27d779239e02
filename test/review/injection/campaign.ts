// Hostile texts in every computed field of every broker connector, between valid messages.

import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { Redis } from "ioredis";
import { encodeUtf8, fieldText } from "../../../runtime/text/utf8.ts";
import { buildAndStart } from "../../e2e/gateway.ts";
import { kafka, mosquitto, nats, postgres, rabbitmq, redis } from "../../harness/brokers.ts";
import { projectRoot, temporaryDirectory } from "../../harness/directories.ts";
import { httpServer, type ReceivedRequest, type Reply } from "../../harness/http-server.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import type { Campaign, PreparedCampaign, RoundResult } from "../campaign.ts";
import { type ObservedDatabases, observeDatabases } from "./databases.ts";
import { type Observers, observe } from "./observers.ts";
import { expectedOf, namedHeader, places, reserved, type Seen, unobserved } from "./places.ts";
import { hostileTexts } from "./values.ts";

/** No text of a message may affect a broker beyond its value, break a connection, or affect another message. */
export const injection: Campaign = {
  claim: "a computed value is delivered as it is, or fails its own message with 422",
  prepare,
};

/** A message to one producer. */
interface Attempt {
  readonly connector: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly isRight: boolean;
}

const attemptsPerRound = 150;

async function prepare(): Promise<PreparedCampaign> {
  const [natsServer, mqttBroker, rabbit, kafkaBroker, redisServer, database] = await Promise.all([
    nats(),
    mosquitto(),
    rabbitmq(),
    kafka(),
    redis(),
    postgres(),
  ]);
  const mark = unique("inj").replaceAll(/[^a-z0-9]/gi, "");
  const addresses = {
    nats: natsServer.address,
    mqtt: mqttBroker.address,
    rabbitmq: rabbit.address,
    kafka: kafkaBroker.address,
  };
  const observers = await observe(addresses, mark);
  const note = (connector: string, place: string, content: string, headers: IncomingHttpHeaders) =>
    observers.note(connector, place, content, {
      header: fieldText(String(headers["x-value"] ?? "")),
      header_name: namedHeader(Object.entries(headers)),
    });
  const web = await httpServer((request) => {
    const { path, body, headers } = request;
    if (path.startsWith(`/${mark}/registry/`)) return answerRegistry(request, mark, observers);
    if (path === `/${mark}/webhook`)
      observers.note("portal_webhook", `${headers["webhook-event"]}`, body, {
        header: fieldText(String(headers["x-value"] ?? "")),
      });
    else if (path === `/${mark}/multipart`) observers.note("multipart", "", partOf(request), {});
    else if (path === `/${mark}/archive`) noteOtherName(body, observers);
    else if (path.startsWith(`/${mark}/out/`)) {
      if (path.split(/[/?#]/).length > 4)
        observers.note("http_client_path", `another path: ${path}`, body, {});
    } else if (!path.startsWith(`/${mark}/`)) note("http_client", path, body, headers);
    return {};
  });
  const folder = temporaryDirectory("injection");
  const databases = await observeDatabases({
    postgres: database.address,
    folder,
    mark,
    note: observers.note,
  });
  const gateway = await buildAndStart([join(projectRoot, "test/review/injection/gateway.yaml")], {
    MARK: mark,
    NATS: natsServer.address,
    MQTT: mqttBroker.address,
    RABBITMQ: rabbit.address,
    KAFKA: kafkaBroker.address,
    REDIS: redisServer.address,
    HTTP: web.url,
    POSTGRES: `${database.address}?sslmode=disable`,
    FOLDER: folder,
    STORE: `sqlite:${join(temporaryDirectory("store"), "gateway.db")}`,
    GW_PORTAL_ACCESS_TOKENS: token,
  });
  await subscribe(gateway.url, `${mark}.normal`, `${web.url}/${mark}/webhook`);
  const redisPeer = new Redis(redisServer.address);
  const send = async ({ connector, fields }: Attempt) => {
    const body = bodyOf(mark, fields);
    const response = await fetch(`${gateway.url}/${connector}`, { method: "POST", body });
    const answer = await response.text();
    if (connector === "command" && response.ok) observers.note(connector, "", body, { argument: answer });
    if (connector === "sql_select" && response.ok) databases.judgeRows(answer, fields.name ?? "");
    if (connector === "reply" && response.ok) note("reply", "", answer, Object.fromEntries(response.headers));
    return { status: response.status, answer };
  };
  return {
    round: (seed) =>
      round(seed, mark, {
        send,
        seen: observers.seen,
        records: () => observers.records(),
        databases,
        keys: async () => (await redisPeer.keys("*")).filter((name) => name.includes(mark)),
        oddLog: () => oddLogLines(gateway.program.output(), mark),
        oddMetrics: async () => oddLines(await (await fetch(`${gateway.adminUrl}/metrics`)).text()),
        output: () => gateway.program.output(),
      }),
    async close() {
      await gateway.program.stop();
      await observers.close();
      await redisPeer.quit();
      await databases.close();
      await web.close();
      await Promise.all(
        [natsServer, mqttBroker, rabbit, kafkaBroker, redisServer, database].map((each) => each.stop()),
      );
    },
  };
}

/**
 * Returns the JSON of an attempt. Its texts are percent-encoded, since JSON cannot carry bytes that are not UTF-8; the
 * gateway decodes them.
 */
function bodyOf(mark: string, { id = "", ...texts }: Attempt["fields"]): string {
  const encoded = Object.entries(texts).map(([name, text]) => [
    name,
    Buffer.from(encodeUtf8(text)).toString("hex").replaceAll(/../g, "%$&"),
  ]);
  return JSON.stringify({ mark, id, ...Object.fromEntries(encoded) });
}

const token = "the-token-of-the-campaign";

/** Makes the portal send events of a type to an address. */
async function subscribe(gateway: string, event: string, url: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${gateway}/api/portal${path}`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${answer}`);
    return JSON.parse(answer).Message;
  };
  const webhooks = { enabled: true, events: [event] };
  await ask("/catalogue", { apis: [{ name: "Places", api_id: "places", webhooks }] });
  const by_user = await ask("/developers", { email: "ann@example.com", password: "a long password" });
  const app = await ask("/apps", { name: "Places", by_user, products: ["places"] });
  await ask(`/apps/${app}/webhooks`, { url, events: [event] });
}

/** Returns the content of a body's only part; otherwise the reason why it is not a single part, including the body. */
function partOf({ body, headers }: ReceivedRequest): string {
  const boundary = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1] ?? "";
  const [before, part = "", end, ...others] = body.split(`--${boundary}`);
  const [head = "", ...content] = part.split("\r\n\r\n");
  const lines = head.split(/[\r\n]+/).filter((line) => line !== "");
  const isOne = before === "" && end?.trim() === "--" && others.length === 0;
  const isPlain = lines.every((line) => /^Content-(?:Type|Disposition): /.test(line)) && lines.length <= 2;
  return isOne && isPlain ? content.join("\r\n\r\n").trim() : `another part: ${body}`;
}

/** Reports an archive whose only entry has a name outside the folder that the document sets. */
function noteOtherName(tar: string, { note }: Observers): void {
  const [name = ""] = tar.split("\0", 1);
  // Names that are long or not ASCII are in a separate record.
  const named = name === "path" ? (/ path=([^\n]*)\n/.exec(tar)?.[1] ?? "") : name;
  if (!named.startsWith("begin/") || /(?:^|[\\/])\.\.(?:[\\/]|$)|\p{Cc}/u.test(named))
    note("archived", `another name: ${named}`, tar, {});
}

/** Answers requests for any subject with a schema that accepts every document; other requests are reported, too. */
function answerRegistry({ path, method }: ReceivedRequest, mark: string, { note }: Observers): Reply {
  const asked = /^\/[^/]+\/registry\/subjects\/([^/?#]*)\/versions\/latest$/.exec(path)?.[1];
  const subject =
    method === "GET" && asked !== undefined ? decodeURIComponent(asked) : `another path: ${path}`;
  note("schema_registry_encode", subject, JSON.stringify({ mark, id: subject.split("-").at(-1) }), {});
  return { body: JSON.stringify({ subject, version: 1, id: 1, schemaType: "JSON", schema: "{}" }) };
}

interface World {
  send(attempt: Attempt): Promise<{ readonly status: number; readonly answer: string }>;
  readonly seen: readonly Seen[];
  records(): Promise<Readonly<Record<string, number>>>;
  /** Returns lines of the log that are not valid. */
  oddLog(): readonly string[];
  /** Returns lines of the operators' metrics that are not valid. */
  oddMetrics(): Promise<readonly string[]>;
  readonly databases: ObservedDatabases;
  /** Returns keys of Redis that contain the mark. */
  keys(): Promise<readonly string[]>;
  output(): string;
}

async function round(seed: number, mark: string, world: World): Promise<RoundResult> {
  const attempts = attemptsOf(seed, mark);
  const findings: string[] = [];
  const delivered: Attempt[] = [];
  const recordsBefore = await world.records();
  const lostBefore = lostConnections(world.output());
  // Eight at a time, so that other messages are in progress if one breaks a connection.
  for (let start = 0; start < attempts.length; start += 8) {
    await Promise.all(
      attempts.slice(start, start + 8).map(async (attempt) => {
        const { status, answer } = await world.send(attempt);
        if (status === 200) delivered.push(attempt);
        if (status === 200 && isReserved(attempt))
          findings.push(`${describe(attempt)}: reached the server itself`);
        if (status !== 200 && (attempt.isRight || !(status === 422 || isMissing(attempt, answer))))
          findings.push(`${describe(attempt)}: ${status} ${answer}`);
      }),
    );
  }
  const lost = lostConnections(world.output()).slice(lostBefore.length);
  findings.push(...lost.map((line) => `a connection was lost: ${line}`));
  await world.databases.noteRows();
  findings.push(...(await world.databases.changes()));
  findings.push(...(await compare(delivered, attempts, mark, world)));
  const elsewhere = (await world.keys()).filter((name) => !name.startsWith(`${mark}:`));
  findings.push(...elsewhere.map((name) => `a key of Redis elsewhere: ${JSON.stringify(name)}`));
  findings.push(...(await world.oddMetrics()).map((line) => `a line of metrics: ${line}`));
  findings.push(...world.oddLog().map((line) => `a line of the log: ${line}`));
  const topics = { [mark]: "kafka", [`${mark}franz`]: "kafka_franz" };
  const expected = Object.fromEntries(
    Object.entries(topics).map(([topic, name]) => {
      const written = delivered.filter(({ connector }) => connector === name).length;
      return [topic, (recordsBefore[topic] ?? 0) + written];
    }),
  );
  const records = await world.records();
  if (!isDeepStrictEqual(records, expected))
    findings.push(`Kafka has ${JSON.stringify(records)} and not ${JSON.stringify(expected)}`);
  return { attempts: attempts.length, findings };
}

function attemptsOf(seed: number, mark: string): readonly Attempt[] {
  const connectors = Object.entries(places);
  const choice = fc.record({
    connector: fc.nat({ max: connectors.length - 1 }),
    place: fc.nat(),
    text: hostileTexts(mark),
    isRight: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  });
  return fc
    .sample(choice, { seed, numRuns: attemptsPerRound })
    .map(({ connector, place, text, isRight }, index) => {
      const [name, right] = connectors[connector] ?? ["nats", {}];
      const names = Object.keys(right);
      const target = names[place % names.length] ?? "";
      const id = `${seed}x${index}`;
      // Without the space, Kafka would create a topic for every valid name.
      const value = name.startsWith("kafka") && target === "topic" ? `${text} ` : text;
      return { connector: name, fields: { ...right, ...(!isRight && { [target]: value }), id }, isRight };
    });
}

/** Checks that each delivered message was seen once, in the right place, and nothing else. */
async function compare(
  delivered: readonly Attempt[],
  attempts: readonly Attempt[],
  mark: string,
  { seen }: World,
): Promise<readonly string[]> {
  const ids = new Set(attempts.map(({ fields }) => fields.id));
  const expected = delivered
    .filter(({ connector, fields }) => isObserved(connector, fields))
    .map(({ connector, fields }) => expectedOf(mark, connector, fields));
  const mine = () => seen.filter(({ id }) => ids.has(id) || !/^\d+x\d+$/.test(id));
  try {
    await until(() => mine().length >= expected.length);
  } catch {
    // The comparison below reports missing messages.
  }
  const arrived = mine().map(key).sort();
  const awaited = expected.map(key).sort();
  return [
    ...difference(awaited, arrived).map((each) => `did not arrive: ${each}`),
    ...difference(arrived, awaited).map((each) => `arrived and should not have: ${each}`),
  ];
}

/** Whether the place is reserved for the server: observers do not see all of these messages. */
function isReserved({ connector, fields }: Attempt): boolean {
  const [place = ""] = Object.keys(places[connector] ?? {});
  return reserved[connector]?.test(fields[place] ?? "") ?? false;
}

/**
 * Whether the server may refuse the message: an exchange may not exist, a key may have another revision, and a server
 * limits the length of headers.
 */
function isMissing({ connector }: Attempt, answer: string): boolean {
  if (connector === "nats_kv_update") return answer.includes("refused the operation (error 10071)");
  if (connector.startsWith("http")) return answer.includes("answered with status 431");
  return connector.startsWith("amqp_") && answer.includes("refused the exchange (404 NOT_FOUND)");
}

/** Whether observers see the message: it may correctly go to an exchange that they do not watch. */
function isObserved(connector: string, fields: Attempt["fields"]): boolean {
  if (connector === "amqp_0_9") return fields.exchange === "topic";
  if (connector === "portal_webhook") return fields.event === "normal";
  if (connector === "nats_kv_update") return Number(fields.revision) === 0;
  return !unobserved.has(connector);
}

function key({ connector, place, id, texts }: Seen): string {
  return JSON.stringify([
    connector,
    id,
    place,
    Object.entries(texts)
      .map(([name, text]) => [name, text.trim()])
      .sort(),
  ]);
}

function difference(left: readonly string[], right: readonly string[]): readonly string[] {
  const others = [...right];
  return left.filter((each) => {
    const at = others.indexOf(each);
    if (at !== -1) others.splice(at, 1);
    return at === -1;
  });
}

/** Returns lines that Prometheus cannot parse. */
function oddLines(metrics: string): readonly string[] {
  const sample = /^[a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*",?)*\})? \S+$/;
  return metrics.split("\n").filter((line) => line !== "" && !line.startsWith("# ") && !sample.test(line));
}

/** Returns lines of the log that are not JSON, without the first line, which may be truncated. */
function oddLogLines(output: string, mark: string): readonly string[] {
  const own = output
    .split("\n")
    .filter((line, index) => index > 0 && (line.startsWith("{") || line.includes(mark)));
  return own.filter((line) => {
    try {
      return JSON.parse(line) === null;
    } catch {
      return true;
    }
  });
}

/** Returns the log lines about a connection, channel or link that a broker ended. */
function lostConnections(output: string): readonly string[] {
  return output
    .split("\n")
    .filter((line) => /is lost|lost, |connecting again|reconnecting|ends the connection/i.test(line));
}

function describe({ connector, fields }: Attempt): string {
  const right: Readonly<Record<string, string>> = places[connector] ?? {};
  const odd = Object.entries(fields).find(([name, text]) => name !== "id" && right[name] !== text);
  const [name, text] = odd ?? ["all right", ""];
  return `${connector} ${name} ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}… (${text.length})` : text)}`;
}
