// Approving a request: the credential, the developer and the request change in one transaction.

import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import type { StoreConnection, Writing } from "../../store/store.ts";
import { lockActiveOwner } from "../developers/owner-records.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { mailCredential } from "../mail/letters.ts";
import type { Services } from "../operation.ts";
import { type CheckedRequest, readAsked } from "./asked.ts";
import { type CredentialContext, type IssuedCredential, prepareCredential } from "./give-credential.ts";
import { findRequest } from "./requests.ts";

/** Other credentials are made at random. */
export const certificateTaken = "The certificate is that of a key already.";

/** What approving works with. */
export type ApprovalContext = CredentialContext & Pick<Services, "mailer">;

/**
 * Approves a request, mails what it gave where that is wanted, and gives the credential, which exists nowhere else. Rejects with `notFound`, and with 400 where it was approved before, or
 * names policies or a developer that are not there any more; then nothing has changed. Of several approvals at once one
 * has it.
 */
export async function approveRequest(
  context: ApprovalContext,
  organisation: string,
  id: string,
): Promise<IssuedCredential> {
  const { store, mailer } = context;
  const asked = await store.read((connection) => readApproval(connection, organisation, id));
  const give = await prepareCredential(context, organisation, asked);
  const issued = await refuseDuplicate(certificateTaken, () =>
    store.transact(async (connection) => {
      const owner = await lockActiveOwner(connection, organisation, asked.request.by_user);
      await takeRequest(connection, organisation, id);
      const credential = await give(connection, organisation, owner);
      await mailCredential(context, connection, organisation, { asked, owner, credential });
      return credential;
    }),
  );
  mailer?.wake();
  return issued;
}

/** Whether requests for these policies are approved as they are made. */
export async function isApprovedAtOnce(
  connection: StoreConnection,
  organisation: string,
  request: KeyRequest,
): Promise<boolean> {
  const { configuration } = await readAsked(connection, organisation, request);
  return configuration.require_key_approval === false;
}

async function readApproval(
  connection: StoreConnection,
  organisation: string,
  id: string,
): Promise<CheckedRequest> {
  const request = await findRequest(connection, organisation, id);
  if (request === undefined) throw notFound();
  if (request.approved === true) throw alreadyProcessed();
  return readAsked(connection, organisation, request);
}

function alreadyProcessed() {
  return refusal(400, "Key request has already been processed.");
}

/** Only one of several transactions changes the row. */
async function takeRequest(connection: Writing, organisation: string, id: string): Promise<void> {
  const { numUpdatedRows } = await connection
    .updateTable("portal_requests")
    .set({ approved: 1 })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .where("approved", "=", 0)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw (await findRequest(connection, organisation, id)) === undefined ? notFound() : alreadyProcessed();
}
