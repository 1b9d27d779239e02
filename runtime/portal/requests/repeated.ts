// Requests that ask for what an open request of the same developer asks for already.

import { refusal } from "../../rest/answers.ts";
import type { Writing } from "../../store/store.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { policiesOf } from "./asked.ts";

/** What of a request tells it from others of its developer. */
type Subject = Pick<KeyRequest, "apply_policies" | "for_plan" | "for_api" | "version" | "key">;

/**
 * Throws a `refusal` (409) with the id of an open request of that developer, other than `id`, for the same policies of
 * the same API and version, and for the same key where one is to be extended. The developer is locked, so of two
 * requests at once the later one finds the other.
 */
export async function refuseRepeated(
  connection: Writing,
  organisation: string,
  body: Subject & Pick<KeyRequest, "by_user">,
  id = "",
): Promise<void> {
  const rows = await connection
    .selectFrom("portal_requests")
    .select(["id", "record"])
    .where("org_id", "=", organisation)
    .where("by_user", "=", body.by_user)
    .where("approved", "=", 0)
    .orderBy("date_created")
    .orderBy("id")
    .execute();
  const wanted = subjectOf(body);
  const former = rows.find((row) => row.id !== id && subjectOf(JSON.parse(row.record)) === wanted);
  if (former === undefined) return;
  throw refusal(409, "This has been requested already, and waits for an approval.", [{ request: former.id }]);
}

/** The same text for requests for the same, in whatever order they name it. */
function subjectOf(request: Subject): string {
  const { for_api: api = "", version = "", key = "" } = request;
  return JSON.stringify([policiesOf(request).toSorted(), api, version, key]);
}
