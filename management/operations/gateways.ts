// The operations at `/deployments`, `/artifacts` and `/gateways`: deployments for gateways, and reports of gateways.

import type { TailedStream } from "../../runtime/gateway/tail/sample.ts";
import { notFound, RestAnswer, refusal } from "../../runtime/rest/answers.ts";
import { pageParameters, readPage } from "../../runtime/rest/lists.ts";
import { type RestCaller, writtenShape } from "../../runtime/rest/operation.ts";
import { idsFor } from "../definitions/apis.ts";
import { listGateways, takeReport } from "../deployments/gateways.ts";
import { rollBack } from "../deployments/roll-back.ts";
import { getBlob, listDeployments } from "../deployments/stored.ts";
import { deploymentSchema } from "../generated/deployment.ts";
import { gatewayReportSchema } from "../generated/gateway-report.ts";
import { seenMessagesSchema } from "../generated/seen-messages.ts";
import { type ManagedOperation, managed } from "../operation.ts";
import type { ManagementStore } from "../store/tables.ts";
import type { Tails } from "../streams/tails.ts";

const deployments = { tag: "Deployments", isOfInstallation: true } as const;

/** The response to reports, which tells gateways the streams to sample. */
const reportAnswer = writtenShape(
  "`Tail` is present while streams are being tailed. It lists them, and parts of names that are secret.",
  { type: "null" },
  { Tail: { type: "object" } },
);

function taken(message: string, tails: Tails): object {
  const wanted = tails.wanted();
  return { Status: "OK", Message: message, Meta: null, ...(wanted && { Tail: wanted }) };
}

function idOf(param: (name: string) => string): string {
  const id = param("id");
  if (id.length > 200) throw refusal(400, "Invalid `ID` value");
  return id;
}

/**
 * Returns the APIs that a user may read; `undefined` (all) for keys of the environment, which belong to the operator.
 */
async function visibleTo(
  caller: RestCaller,
  store: ManagementStore,
): Promise<ReadonlySet<string> | undefined> {
  return caller.id === undefined ? undefined : idsFor(store, caller, "read");
}

/** The maximum number of seconds that a request may wait for the next deployment. */
const longestWait = 60;

export const gatewayOperations: readonly ManagedOperation[] = [
  managed({
    ...deployments,
    method: "GET",
    path: "/deployments",
    operationId: "listDeployments",
    summary: "Lists deployments, the newest first.",
    permission: "read",
    isPerApi: true,
    parameters: pageParameters,
    answer: { kind: "list", record: deploymentSchema },
    run: async (request, { store }) =>
      listDeployments(store, readPage(request), await visibleTo(request.caller, store)),
  }),
  managed({
    ...deployments,
    method: "GET",
    path: "/deployments/current",
    operationId: "readCurrentDeployment",
    summary:
      "Returns the manifest of the newest deployment. With `If-None-Match`, it can wait for the next one.",
    permission: "gateway",
    parameters: [
      {
        name: "wait",
        description: "Seconds to wait for a deployment that `If-None-Match` does not name.",
        schema: { type: "integer", minimum: 0, maximum: longestWait, default: 0 },
      },
    ],
    answer: {
      kind: "other",
      description: "The manifest. The header `X-GW-Signature` has its signature if a key is configured.",
      schema: { type: "object" },
    },
    refusals: [404],
    async run({ query, header, signal }, { deployer }) {
      const known = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(header("if-none-match")?.trim() ?? "")?.[1];
      const wait = known === undefined ? 0 : Number(query.get("wait") ?? 0);
      const newest = await deployer.next(known, wait * 1000, signal());
      if (newest === undefined) throw notFound();
      return new RestAnswer(newest.manifest, {
        "content-type": "application/json",
        etag: `"${newest.digest}"`,
        ...(newest.signature !== null && { "x-gw-signature": newest.signature }),
      });
    },
  }),
  managed({
    ...deployments,
    method: "POST",
    path: "/deployments/{number}/rollback",
    operationId: "rollBackDeployment",
    summary: "Restores the definitions of an earlier deployment as the newest versions and deploys them.",
    permission: "write",
    isPerApi: true,
    answer: { kind: "written", message: "`Deployment rolled back`." },
    refusals: [403, 404],
    async run({ caller, param }, { changes, store }) {
      const text = param("number");
      const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      await rollBack(store, changes, number, caller);
      return { Status: "OK", Message: "Deployment rolled back", Meta: null };
    },
  }),
  managed({
    ...deployments,
    method: "GET",
    path: "/artifacts/{digest}",
    operationId: "readArtifact",
    summary: "Returns a module by the SHA-256 of its bytes in hex.",
    permission: "gateway",
    answer: { kind: "other", description: "JavaScript.", schema: {}, types: ["text/javascript"] },
    refusals: [404],
    async run({ param }, { store }) {
      const digest = param("digest");
      if (!/^[0-9a-f]{64}$/.test(digest)) throw notFound();
      const code = await getBlob(store, digest);
      return new RestAnswer(code, { "content-type": "text/javascript; charset=utf-8", etag: `"${digest}"` });
    },
  }),
  managed({
    ...deployments,
    method: "GET",
    path: "/gateways",
    operationId: "listGateways",
    summary: "Lists the gateways that have reported.",
    permission: "read",
    isPerApi: true,
    answer: { kind: "other", description: "All of them.", schema: { type: "object", required: ["Data"] } },
    async run({ caller }, { store }) {
      const own = await visibleTo(caller, store);
      const gateways = await listGateways(store);
      const Data = gateways.map(({ id, seenAt, isLost, report }) => {
        const { streams: _, outcomes, problem, ...rest } = report;
        return {
          ...{ id, seen_at: seenAt, lost: isLost, ...rest },
          outcomes: outcomes.filter(({ api }) => own?.has(api) !== false),
          // The problem may concern any API.
          ...(problem !== undefined && own === undefined && { problem }),
        };
      });
      return { Data };
    },
  }),
  managed({
    ...deployments,
    method: "POST",
    path: "/gateways/{id}/report",
    operationId: "reportGateway",
    summary: "Receives the status report of a gateway.",
    permission: "gateway",
    body: { record: gatewayReportSchema },
    answer: reportAnswer,
    async run({ param, body }, { store, tails }) {
      await takeReport(store, idOf(param), body);
      return taken("Report taken", tails);
    },
  }),
  managed<{ readonly streams: readonly TailedStream[] }>({
    ...deployments,
    method: "POST",
    path: "/gateways/{id}/messages",
    operationId: "showMessages",
    summary: "Receives message samples from a gateway for streams that are being tailed.",
    permission: "gateway",
    body: { record: seenMessagesSchema },
    answer: reportAnswer,
    async run({ param, body }, { tails }) {
      tails.take(idOf(param), body.streams);
      return taken("Messages taken", tails);
    },
  }),
];
