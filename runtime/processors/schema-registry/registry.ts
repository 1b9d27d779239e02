// A client of a schema registry over HTTP (Confluent Platform, "Schema Registry API Reference").

import { GatewayError, MappingError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";
import type { TlsBlock } from "../../process/tls.ts";
import { credentialsOf } from "../../requests/basic-credentials.ts";
import { createCaller, type HttpCaller, UnexpectedReply } from "../../requests/caller.ts";
import type { TransportBlock } from "../../requests/connections.ts";
import type { Credentials, OutgoingRequest, Requester } from "../../requests/request.ts";

/** The address of a registry, and the credentials for it. */
export interface RegistryOptions {
  readonly url: string;
  readonly oauth?: Credentials | undefined;
  readonly basic_auth?: Credentials | undefined;
  readonly jwt?: Credentials | undefined;
  readonly tls?: TlsBlock;
  readonly transport?: TransportBlock;
}

/** A schema of the registry. */
export interface RegisteredSchema {
  readonly id: number;
  /** `AVRO`, `JSON` or `PROTOBUF`. */
  readonly type: string;
  readonly text: string;
  /** The texts of the schemas that it refers to. Each one comes after those that it refers to itself. */
  readonly references: readonly string[];
}

/** Sends requests to a registry. Its methods reject with `GatewayError`s. */
export interface Registry {
  byId(id: number, requester: Requester): Promise<RegisteredSchema>;
  latest(subject: string, requester: Requester): Promise<RegisteredSchema>;
  close(): void;
}

/** The maximum number of direct and indirect references of a schema. */
const mostReferences = 100;

/** Returns a client for a registry. It sends no request yet. */
export function createRegistry(options: RegistryOptions): Registry {
  const caller = createCaller({
    ...options,
    verb: "GET",
    timeout: 5_000,
    retries: 2,
    retry_period: 500,
    max_retry_backoff: 5_000,
    backoff_on: [429],
    drop_on: [400, 401, 403, 404, 422],
    successful_on: [],
  });
  const ask = (path: string, requester: Requester) => answerTo(options.url, path, caller, requester);

  async function complete(answer: Answer, requester: Requester): Promise<RegisteredSchema> {
    const texts = new Map<string, string>();
    const follow = async ({ references = [] }: Answer): Promise<void> => {
      for (const { name, subject, version } of references) {
        if (texts.has(name)) continue;
        if (texts.size >= mostReferences) throw new MappingError("a schema has too many references");
        // Reserve the name, so that circular references end.
        texts.set(name, "");
        const referred = await ask(`subjects/${segmentOf(subject)}/versions/${Number(version)}`, requester);
        await follow(referred);
        texts.delete(name);
        texts.set(name, referred.schema);
      }
    };
    await follow(answer);
    return {
      id: answer.id ?? 0,
      type: answer.schemaType || "AVRO",
      text: answer.schema,
      references: [...texts.values()],
    };
  }

  return {
    async byId(id, requester) {
      const missing = `schema '${id}' not found by registry`;
      const answer = await unlessMissing(ask(`schemas/ids/${id}`, requester), missing);
      return { ...(await complete(answer, requester)), id };
    },
    async latest(subject, requester) {
      const missing = `schema subject '${subject}' not found by registry`;
      const answer = await unlessMissing(
        ask(`subjects/${segmentOf(subject)}/versions/latest`, requester),
        missing,
      );
      return complete(answer, requester);
    },
    close: () => caller.close(),
  };
}

/** The response for a schema, as JSON. */
interface Answer {
  readonly id?: number;
  readonly schemaType?: string;
  readonly schema: string;
  readonly references?: readonly {
    readonly name: string;
    readonly subject: string;
    readonly version: number;
  }[];
}

async function answerTo(
  base: string,
  path: string,
  caller: HttpCaller,
  requester: Requester,
): Promise<Answer> {
  const { url, authorization } = credentialsOf(new URL(path, base.endsWith("/") ? base : `${base}/`));
  const headers = new Map([["accept", "application/vnd.schemaregistry.v1+json, application/json"]]);
  if (authorization !== undefined) headers.set("authorization", authorization);
  const request: OutgoingRequest = { verb: "GET", url, headers, body: undefined };
  const { body } = await caller.call(request, requester);
  const answer = parsed(body);
  if (!isAnswer(answer))
    throw new GatewayError(502, "The schema registry gave no schema", { retryable: true });
  return answer;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new GatewayError(502, "The schema registry did not answer with JSON", {
      cause: error,
      retryable: true,
    });
  }
}

function isAnswer(answer: unknown): answer is Answer {
  if (typeof answer !== "object" || answer === null) return false;
  const { schema, schemaType, id, references } = answer as Record<string, unknown>;
  return (
    typeof schema === "string" &&
    ["string", "undefined"].includes(typeof schemaType) &&
    (id === undefined || (Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32)) &&
    (references === undefined || (Array.isArray(references) && references.every(isReference)))
  );
}

function isReference(reference: unknown): boolean {
  if (typeof reference !== "object" || reference === null) return false;
  const { name, subject, version } = reference as Record<string, unknown>;
  return typeof name === "string" && typeof subject === "string" && Number.isInteger(version);
}

async function unlessMissing(answer: Promise<Answer>, message: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UnexpectedReply && error.replied === 404) throw new MappingError(message);
    throw error;
  }
}

/** The longest path segment that every server accepts: some refuse requests whose line and headers exceed 8 KiB. */
const longestSegment = 4096;

/** Returns a subject as a single path segment, which it cannot escape from. */
function segmentOf(subject: string): string {
  const isName = subject !== "" && subject !== "." && subject !== ".." && subject.isWellFormed();
  const segment = isName ? encodeURIComponent(subject) : "";
  if (segment === "" || segment.length > longestSegment) throw unfitText("subject", "the name of a subject");
  return segment;
}
