// Views of a streaming API: pictures of its streams, and the description for its clients.

import { stringify } from "yaml";
import { RestAnswer, refusal } from "../../runtime/rest/answers.ts";
import { getVersion } from "../definitions/apis.ts";
import { describeClientsOf } from "../definitions/describe.ts";
import { definitionBody, readSent, type SentDefinition } from "../definitions/sent.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { pictureOf } from "../drawing/picture.ts";
import { printSvg } from "../drawing/print-svg.ts";
import { type ManagedOperation, type ManagementServices, managed } from "../operation.ts";
import { apiOf, noDetail } from "./stream-apis.ts";

const shared = { tag: "Streaming APIs", isStreaming: true, isPerApi: true, permission: "read" } as const;

const drawingsAnswer = {
  kind: "other",
  description: "Each stream with its components, the connections between them, and positions for a diagram.",
  schema: {
    type: "object",
    required: ["Data"],
    properties: { Data: { type: "array", items: { type: "object" } } },
  },
} as const;

async function drawingsOf(
  sent: SentDefinition,
  organisation: string,
  { compiler }: ManagementServices,
): Promise<readonly Drawing[]> {
  const { drawings = [] } = await compiler.compile({ kind: "drawing", ...sent }, organisation);
  return drawings;
}

async function sentOf(
  request: Parameters<typeof apiOf>[0],
  services: ManagementServices,
): Promise<SentDefinition> {
  const api = await apiOf(request, services, "read", noDetail);
  const { definition: text, format } = await getVersion(services.store, request.caller.organisation, api);
  return { text, format };
}

/** Whether an `Accept` header lists YAML before any other type that is supported here. */
function prefersYaml(accept: string | undefined): boolean {
  const types = (accept ?? "").split(",").map((each) => each.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  const known = types.find(
    (type) => /^(application|text)\/(x-)?yaml$/.test(type) || /json$|^\*\/\*$/.test(type),
  );
  return known?.endsWith("yaml") === true;
}

export const streamApiViews: readonly ManagedOperation[] = [
  managed({
    ...shared,
    method: "POST",
    path: "/apis/streams/topology",
    operationId: "drawDefinition",
    summary: "Draws the streams of a definition without creating an API. The definition may have errors.",
    text: definitionBody,
    answer: drawingsAnswer,
    run: async ({ text, header, organisation }, services) => ({
      Data: await drawingsOf(readSent(text, header("content-type")), organisation, services),
    }),
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}/topology",
    operationId: "drawStreamApi",
    summary: "Draws the streams of an API.",
    answer: drawingsAnswer,
    refusals: [404],
    run: async (request, services) => ({
      Data: await drawingsOf(await sentOf(request, services), request.organisation, services),
    }),
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}/topology/{stream}",
    operationId: "drawStream",
    summary: "Draws one stream of an API as SVG; its name may end in `.svg`.",
    answer: {
      kind: "other",
      description: "A picture.",
      schema: { type: "string" },
      types: ["image/svg+xml"],
    },
    refusals: [404],
    async run(request, services) {
      const name = request.param("stream");
      const sent = await sentOf(request, services);
      const drawings = await drawingsOf(sent, request.organisation, services);
      const drawing =
        drawings.find(({ stream }) => stream === name) ??
        drawings.find(({ stream }) => `${stream}.svg` === name);
      const picture = drawing && pictureOf(drawing);
      if (picture === undefined) throw refusal(404, "Could not retrieve stream.");
      return new RestAnswer(printSvg(picture), {
        "content-type": "image/svg+xml",
        "content-security-policy": "default-src 'none'; sandbox",
      });
    },
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}/asyncapi",
    operationId: "describeStreamApi",
    summary: "Returns an AsyncAPI 3.1 document of the client interface of an API's streams.",
    parameters: [
      {
        name: "server",
        description: "Address at which clients reach the gateway, in place of those of the definition.",
        schema: { type: "string" },
      },
    ],
    answer: {
      kind: "other",
      description: "AsyncAPI 3.1 as JSON, or as YAML if `Accept` requests it.",
      schema: { type: "object" },
      types: ["application/json", "application/yaml"],
    },
    refusals: [404, 409],
    async run(request, services) {
      const { id } = await apiOf(request, services, "read", noDetail);
      const server = request.query.get("server")?.toString();
      const described = await describeClientsOf(services, id, server === undefined ? [] : [server]);
      if (!prefersYaml(request.header("accept"))) return described;
      const text = stringify(described, { lineWidth: 0, aliasDuplicateObjects: false });
      return new RestAnswer(text, { "content-type": "application/yaml", vary: "accept" });
    },
  }),
];
