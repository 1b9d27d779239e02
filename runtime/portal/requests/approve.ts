// Approves requests: the credential, the developer and the request change in one transaction.

import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import type { StoreConnection, StoreTransaction } from "../../store/store.ts";
import { lockActiveOwner } from "../developers/owner-records.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { mailCredential } from "../mail/letters.ts";
import type { PortalServices } from "../operation.ts";
import { type CheckedRequest, readCheckedRequest } from "./checked-request.ts";
import { type CredentialContext, type IssuedCredential, prepareCredential } from "./give-credential.ts";
import { findRequest } from "./requests.ts";

/** The error for duplicates. Only certificates can collide, because other credentials are random. */
export const certificateTaken = "A key already has this certificate.";

/** The dependencies of approvals. */
export type ApprovalContext = CredentialContext & Pick<PortalServices, "mailer">;

/**
 * Approves a request, queues an e-mail about it if that is enabled, and returns the credential, which is stored nowhere
 * else. Rejects with `notFound`, and with 400 if the request is already approved or names policies or a developer that
 * no longer exist; nothing changes in these cases. Of several concurrent approvals only one succeeds.
 */
export async function approveRequest(
  context: ApprovalContext,
  organisation: string,
  id: string,
): Promise<IssuedCredential> {
  const { store, mailer } = context;
  const checked = await store.read((connection) => readApproval(connection, organisation, id));
  const give = await prepareCredential(context, organisation, checked);
  const issued = await refuseDuplicate(certificateTaken, () =>
    store.transact(async (connection) => {
      const owner = await lockActiveOwner(connection, organisation, checked.request.by_user);
      await takeRequest(connection, organisation, id);
      const credential = await give(connection, organisation, owner);
      await mailCredential(context, connection, organisation, { checked, owner, credential });
      return credential;
    }),
  );
  mailer?.wake();
  return issued;
}

/** Whether a request is approved as soon as it is created. */
export async function isApprovedAtOnce(
  connection: StoreConnection,
  organisation: string,
  request: KeyRequest,
): Promise<boolean> {
  const { configuration } = await readCheckedRequest(connection, organisation, request);
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
  return readCheckedRequest(connection, organisation, request);
}

function alreadyProcessed() {
  return refusal(400, "Key request has already been processed.");
}

/** Marks a request as approved. Of several transactions only one succeeds. */
async function takeRequest(connection: StoreTransaction, organisation: string, id: string): Promise<void> {
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
