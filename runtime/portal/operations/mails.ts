// The operations at `/mails`: queued e-mails, and those that were given up.

import { notFound, refusal, written } from "../../rest/answers.ts";
import { listed, pageParameters, readPage } from "../../rest/lists.ts";
import type { RecordSchema } from "../../rest/operation.ts";
import type { Store } from "../../store/store.ts";
import type { MailTable } from "../../store/tables.ts";
import { operation, type PortalOperation } from "../operation.ts";

/** An e-mail as administrators see it, without its content. */
export interface WaitingMail {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly state: "waiting" | "given_up";
  readonly date_created: string;
  readonly attempts: number;
  readonly last_failure: string;
  /** The time of the next attempt, in UTC; empty if the e-mail is due or was given up. */
  readonly next_attempt: string;
}

/** The JSON Schema of `WaitingMail`. */
const mailSchema: RecordSchema<WaitingMail> = {
  name: "Mail",
  schema: {
    title: "E-mail",
    description: "An e-mail that no server has accepted yet.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string", description: "Its id, which is also in its `Message-ID`." },
      kind: { type: "string", description: "Its purpose, such as `key_email`." },
      to: { type: "string" },
      state: { type: "string", enum: ["waiting", "given_up"] },
      date_created: { type: "string", description: "Time of creation, in UTC." },
      attempts: { type: "integer", description: "Attempts that have failed." },
      last_failure: { type: "string", description: "Code of the last failure; empty if there is none." },
      next_attempt: {
        type: "string",
        description: "Time of the next attempt. Empty if the e-mail is due or given up.",
      },
    },
  },
};

const tag = "E-mails";

/** The operations of portals that send e-mails. */
export const mailOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/mails",
    operationId: "listMails",
    tag,
    summary: "Lists the e-mails that wait to be sent and those given up in the last two weeks, oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: mailSchema },
    async run(request, { store }) {
      const page = readPage(request);
      return store.read(async (connection) => {
        const own = connection.selectFrom("portal_mails").where("org_id", "=", request.organisation);
        const { total } = await own
          .select(({ fn }) => fn.countAll<number>().as("total"))
          .executeTakeFirstOrThrow();
        const sorted = own.selectAll().orderBy("date_created").orderBy("id");
        const rows = await (page === undefined
          ? sorted
          : sorted.limit(page.limit).offset(page.offset)
        ).execute();
        return listed(rows.map(describe), total, page);
      });
    },
  }),
  operation({
    method: "GET",
    path: "/mails/{id}",
    operationId: "readMail",
    tag,
    summary: "Reads the state of an e-mail.",
    answer: { kind: "record", record: mailSchema },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      const row = await store.read((connection) =>
        connection
          .selectFrom("portal_mails")
          .selectAll()
          .where("id", "=", param("id"))
          .where("org_id", "=", organisation)
          .executeTakeFirst(),
      );
      if (row === undefined) throw notFound();
      return describe(row);
    },
  }),
  operation({
    method: "POST",
    path: "/mails/{id}/retry",
    operationId: "retryMail",
    tag,
    summary: "Retries a waiting e-mail immediately.",
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param }, { store, mailer }) {
      if (!(await makeDue(store, organisation, param("id"))))
        await refuseRetry(store, organisation, param("id"));
      mailer?.wake();
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/mails/{id}",
    operationId: "deleteMail",
    tag,
    summary: "Deletes an e-mail, so that it is not sent.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await store.transact(async (connection) => {
        const { numDeletedRows } = await connection
          .deleteFrom("portal_mails")
          .where("id", "=", param("id"))
          .where("org_id", "=", organisation)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
      });
      return written("Data deleted");
    },
  }),
];

async function makeDue(store: Store, organisation: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await store.read((connection) =>
    connection
      .updateTable("portal_mails")
      .set({ due: 0 })
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .where("given_up", "=", 0)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** Throws: a given-up e-mail cannot be retried, because its content was deleted. */
async function refuseRetry(store: Store, organisation: string, id: string): Promise<never> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("portal_mails")
      .select("id")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  throw row === undefined
    ? notFound()
    : refusal(409, "The e-mail is no longer retried; request another one.");
}

function describe(row: MailTable): WaitingMail {
  const isWaiting = row.given_up === 0;
  return {
    id: row.id,
    kind: row.kind,
    to: row.recipient,
    state: isWaiting ? "waiting" : "given_up",
    date_created: row.date_created,
    attempts: row.attempts,
    last_failure: row.last_failure ?? "",
    next_attempt: isWaiting && row.due > 0 ? new Date(row.due).toISOString() : "",
  };
}
