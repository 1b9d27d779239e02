// The gateway enforces what a document declares, unless `enabled: false` disables it: random documents, tested over
// HTTP.

import fc from "fast-check";
import { checkDocuments, compileDocuments } from "../../compiler/compile.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { type HttpServer, httpServer } from "../harness/http-server.ts";
import type { Campaign, RoundResult } from "./campaign.ts";

/** The value of `enabled` in a block, if it is set. */
type Switch = "absent" | "on" | "off";

/** The protections of a document; `undefined` if the block is absent. */
interface Protections {
  readonly spelling: "gw" | "tyk";
  readonly domain: Switch | undefined;
  readonly addresses: { readonly enabled: Switch; readonly allow: readonly string[] } | undefined;
  readonly size: Switch | undefined;
  readonly authentication: Switch | undefined;
  readonly security: "document" | "operation" | "scheme" | "signature" | "anonymous" | undefined;
  readonly rate: Switch | undefined;
  readonly validation: Switch | undefined;
}

const written = fc.constantFrom<Switch>("absent", "on", "off");
const maybe = fc.option(written, { nil: undefined });

const documents: fc.Arbitrary<Protections> = fc.record({
  spelling: fc.constantFrom("gw", "tyk"),
  domain: fc.option(written, { nil: undefined, freq: 1 }),
  addresses: fc.option(
    fc.record({ enabled: written, allow: fc.constantFrom(["10.0.0.0/8"], ["127.0.0.0/8"], []) }),
    { nil: undefined },
  ),
  size: maybe,
  authentication: maybe,
  security: fc.option(fc.constantFrom("document", "operation", "scheme", "signature", "anonymous"), {
    nil: undefined,
  }),
  rate: maybe,
  validation: maybe,
});

const switched = (enabled: Switch) => (enabled === "absent" ? {} : { enabled: enabled === "on" });
const block = (name: string, enabled: Switch | undefined, fields: object) =>
  enabled === undefined ? {} : { [name]: { ...switched(enabled), ...fields } };

const schema = { type: "object", required: ["wanted"] };
const host = "orders.example.com";

function print(id: string, protections: Protections, upstream: string): string {
  const { spelling, domain, addresses, size, authentication, security, rate, validation } = protections;
  const asked = [{ key: [] }];
  const own = {
    ...(security === "scheme" && { securitySchemes: { key: { enabled: true } } }),
    ...(security === "signature" && { hmac: { enabled: true } }),
  };
  const isWritten = authentication !== undefined || Object.keys(own).length > 0;
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Orders", version: "1.0.0" },
    paths: {
      "/new": {
        post: {
          requestBody: { content: { "application/json": { schema } } },
          ...(security === "operation" && { security: asked }),
          responses: { 200: { description: "Taken." } },
        },
      },
    },
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
    ...(security === "document" && { security: asked }),
    ...(security === "anonymous" && { security: [{}, ...asked] }),
    [`x-${spelling}-api-gateway`]: {
      info: { id },
      server: {
        listenPath: { value: `/${id}/` },
        ...block("customDomain", domain, { name: host }),
        ...block("ipAccessControl", addresses?.enabled, { allow: addresses?.allow }),
        ...(isWritten && { authentication: { ...switched(authentication ?? "absent"), ...own } }),
      },
      middleware: {
        global: {
          ...block("requestSizeLimit", size, { value: 10 }),
          ...block("validateRequest", validation, { errorResponseCode: 422 }),
        },
      },
      upstream: { url: upstream, ...block("rateLimit", rate, { rate: 1, per: "24h" }) },
    },
  });
}

const applies = (enabled: Switch | undefined) => enabled !== undefined && enabled !== "off";

/**
 * Returns the expected statuses of two requests without a credential, with 20 bytes that match no schema, in chain
 * order.
 */
function expected(protections: Protections): readonly number[] {
  const { domain, addresses, size, authentication, security, rate, validation } = protections;
  if (applies(domain)) return [404, 404];
  if (applies(addresses?.enabled) && !addresses?.allow.includes("127.0.0.0/8")) return [403, 403];
  if (applies(size)) return [413, 413];
  const isAsked = security !== undefined && security !== "anonymous";
  if (isAsked && authentication !== "off") return [401, 401];
  const status = applies(validation) ? 422 : 200;
  return [status, applies(rate) ? 429 : status];
}

const documentsPerRound = 40;

/** Checks that the gateway enforces each declared protection, or that the checker refuses the document. */
export const protectionsCampaign: Campaign = {
  claim: "A protection that a document declares is enforced unless `enabled: false` opens it.",
  async prepare() {
    const upstream = await httpServer();
    return {
      async round(seed) {
        const samples = fc.sample(documents, { seed, numRuns: documentsPerRound });
        return await tryDocuments(
          new Map(samples.map((sample, index) => [`api-${index}`, sample])),
          upstream,
        );
      },
      close: () => upstream.close(),
    };
  },
};

/** Checks the diagnostics of each document, then serves all that compile in one gateway, and sends requests to each. */
async function tryDocuments(
  apis: ReadonlyMap<string, Protections>,
  upstream: HttpServer,
): Promise<RoundResult> {
  const { diagnostics } = await checkDocuments(["gateway.yaml"], sourceOf([...apis], upstream));
  const reported = Map.groupBy(diagnostics, ({ span }) => span.source.file.path.replace(/\.json$/, ""));
  const findings = [...apis].flatMap(([id, api]) => judgeDiagnostics(api, reported.get(id) ?? []));
  const strange = [...reported.keys()].filter((id) => !apis.has(id));
  findings.push(...strange.map((file) => `${file}: ${reported.get(file)?.map(({ message }) => message)}`));
  const served = [...apis].filter(([id]) => !reported.get(id)?.some(({ severity }) => severity === "error"));
  const compiled = await compileDocuments(["gateway.yaml"], sourceOf(served, upstream));
  if (compiled.files === undefined) {
    return {
      attempts: apis.size,
      findings: [...findings, "documents without errors do not compile together"],
    };
  }
  const module = await loadGateway(compiled.files);
  const gateway = await module.serveGateway(module.default, {
    environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
    log: createLogger("silent"),
  });
  try {
    for (const [id, protections] of served) {
      const answers = await askTwice(`${gateway.addresses.gateway}/${id}/new`);
      const wanted = expected(protections);
      if (answers.join() !== wanted.join()) {
        findings.push(`${JSON.stringify(protections)}: answered ${answers}, expected ${wanted}`);
      }
    }
  } finally {
    await gateway.close();
  }
  return { attempts: apis.size + served.length, findings };
}

function sourceOf(apis: readonly (readonly [id: string, api: Protections])[], upstream: HttpServer) {
  return {
    packageRoot: projectRoot,
    fileSystem: createMemoryFileSystem({
      ...Object.fromEntries(apis.map(([id, api]) => [`${id}.json`, print(id, api, upstream.url)])),
      "gateway.yaml": JSON.stringify({
        streaming: { enabled: true },
        apis: apis.map(([id]) => `${id}.json`),
        keys: [{ key_hash: "a".repeat(64) }],
      }),
    }),
  };
}

/** Returns the statuses of two consecutive requests. */
async function askTwice(url: string): Promise<readonly number[]> {
  const answers: number[] = [];
  for (let each = 0; each < 2; each += 1) {
    const response = await fetch(url, {
      method: "POST",
      body: '{"unwanted":"value"}',
      headers: { "content-type": "application/json" },
    });
    await response.arrayBuffer();
    answers.push(response.status);
  }
  return answers;
}

/** Checks that a disabled protection is reported, and that a refusal has a reason. */
function judgeDiagnostics(
  { addresses, authentication, security, domain, size, rate }: Protections,
  diagnostics: readonly { readonly code: string; readonly severity: string }[],
): readonly string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").map(({ code }) => code);
  const isListEmpty = applies(addresses?.enabled) && addresses?.allow.length === 0;
  const asksNobody = authentication === "on" && security === undefined;
  const isUndecided = authentication === "absent" && security === undefined;
  const wantedErrors = [
    ...(isListEmpty ? ["GW4351"] : []),
    ...(asksNobody ? ["GW4201"] : []),
    ...(isUndecided ? ["GW4352"] : []),
  ];
  const off = [domain, size, rate, addresses?.allow.length === 0 ? undefined : addresses?.enabled];
  const wantedWarnings = [
    ...off.filter((enabled) => enabled === "off").map(() => "GW4350"),
    ...(authentication === "off" && security !== undefined ? ["GW4270"] : []),
  ];
  const same = (one: readonly string[], other: readonly string[]) =>
    one.toSorted().join() === other.toSorted().join();
  if (same(errors, wantedErrors) && same(warnings, wantedWarnings)) return [];
  const found = `${JSON.stringify({ addresses, authentication, security, domain, size, rate })}`;
  return [`${found}: reported ${[...errors, ...warnings]}, expected ${[...wantedErrors, ...wantedWarnings]}`];
}
