// Makes changes of records conditional on the state that the client has read (RFC 9110, section 13.1).

import type { Database } from "../store/store.ts";
import { RestAnswer, refusal } from "./answers.ts";
import { matches, tagged, tagOf } from "./entity-tags.ts";
import type { RestOperation } from "./operation.ts";

/** A transaction on tables `T`. */
type Connection<T> = Parameters<Parameters<Database<T>["transact"]>[0]>[0];

/** The dependency of operations on records in tables `T`. */
interface Stored<T> {
  readonly store: Database<T>;
}

/**
 * Adds entity tags to operations on records: the operation that reads a record sends its `ETag`, and those that replace or
 * delete it accept that in `If-Match`, and respond with 412 if the record has changed since.
 */
export function withEntityTags<T, S extends Stored<T>>(
  operations: readonly RestOperation<S>[],
): readonly RestOperation<S>[] {
  const reads = new Map(
    operations
      .filter(({ method, answer }) => method === "GET" && answer.kind === "record")
      .map((each) => [each.path, each]),
  );
  return operations.map((each) => {
    const read = reads.get(each.path);
    if (read === each) return tagging(each);
    const isConditional = each.method === "PUT" || each.method === "DELETE";
    return read !== undefined && isConditional ? unlessChanged<T, S>(each, read) : each;
  });
}

function tagging<S>(read: RestOperation<S>): RestOperation<S> {
  return {
    ...read,
    summary: `${read.summary} Its \`ETag\` is accepted by \`If-Match\`.`,
    isTagged: true,
    async run(request, services) {
      const record = await read.run(request, services);
      return tagged(
        request,
        record instanceof RestAnswer ? record : new RestAnswer(record, { etag: tagIn(record, read) }),
      );
    },
  };
}

/** Returns the entity tag of a record. The volatile field has its own part, after a dot. */
function tagIn(record: object, { volatile }: Pick<RestOperation<never>, "volatile">): string {
  if (record instanceof RestAnswer && record.headers.etag !== undefined) return record.headers.etag;
  if (volatile === undefined) return tagOf(JSON.stringify(record));
  const { [volatile]: changing, ...rest } = record as Readonly<Record<string, unknown>>;
  const [lasting, moving] = [rest, [changing]].map((part) => tagOf(JSON.stringify(part)).slice(1, -1));
  return `"${lasting}.${moving}"`;
}

/** Whether `If-Match` has the tag of a record, apart from the volatile field. */
function isExpected(expected: string, tag: string): boolean {
  const lasting = (text: string) => text.split(".", 1).join("");
  return matches(expected.split(",").map(lasting).join(","), lasting(tag));
}

/** Compares the entity tag in the first transaction of an operation, so that no change is between the two. */
function unlessChanged<T, S extends Stored<T>>(
  write: RestOperation<S>,
  read: RestOperation<S>,
): RestOperation<S> {
  return {
    ...write,
    summary: `${write.summary} With \`If-Match\`, only if it is still the one that was read.`,
    refusals: [...(write.refusals ?? []), 412],
    async run(request, services) {
      const expected = request.header("if-match");
      if (expected === undefined) return write.run(request, services);
      const { store } = services;
      const check = async (connection: Connection<T>) => {
        const within = {
          ...store,
          read: <R>(work: (connection: Connection<T>) => Promise<R>) => work(connection),
        };
        const record = await read.run(request, { ...services, store: within });
        if (!isExpected(expected, tagIn(record, read)))
          throw refusal(412, "The record has been changed meanwhile.");
      };
      let isChecked = false;
      const checking = {
        ...store,
        async transact<R>(work: (connection: Connection<T>) => Promise<R>) {
          const isFirst = !isChecked;
          const made = await store.transact(async (connection) => {
            if (isFirst) await check(connection);
            return work(connection);
          }, true);
          isChecked = true;
          return made;
        },
      };
      return write.run(request, { ...services, store: checking });
    },
  };
}
