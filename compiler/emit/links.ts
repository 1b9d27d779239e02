// The table by which the emitter knows the runtime around components, which bring their own links. A test proves that
// each row is a real export.

import {
  type BroughtName,
  besideOption,
  type ComponentPlan,
  type Encoding,
  type FieldPlan,
  type HandlingName,
  type MakerName,
  type RuntimeLink,
} from "../plan/plan.ts";

type Links = Readonly<Record<string, RuntimeLink>>;

/** What wraps the factory of a stream that reads variables of requests. */
export const perRequestLink: RuntimeLink = {
  module: "runtime/stream/instances/stream-instances.ts",
  symbol: "perRequest",
};

/** What every emitted gateway imports. */
export const gatewayLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineGateway" };

/** What every module of one API imports. */
export const apiLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineApi" };

/** What puts the parts of a stream around what they share. */
export const sharingLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "sharing" };

/** What makes resources of resources. */
export const dependantsLink: RuntimeLink = {
  module: "runtime/resources/dependants.ts",
  symbol: "withDependants",
};

const tracesModule = "runtime/processors/around/with-traces.ts";

/** Options that are put around an input or an output by functions of their own, the innermost one first. */
const wrappers: Readonly<Record<string, Readonly<Partial<Record<"input" | "output", RuntimeLink>>>>> = {
  extract_tracing_map: { input: { module: tracesModule, symbol: "inputWithExtractedTraces" } },
  new_root_span_with_link: { input: { module: tracesModule, symbol: "inputWithLinkedTraces" } },
  inject_tracing_map: { output: { module: tracesModule, symbol: "outputWithInjectedTraces" } },
  batching: {
    input: { module: "runtime/processors/around/with-batching.ts", symbol: "inputWithBatching" },
    output: { module: "runtime/processors/around/with-batching.ts", symbol: "outputWithBatching" },
  },
  [besideOption]: {
    input: { module: "runtime/processors/around/with-processors.ts", symbol: "inputWithProcessors" },
    output: { module: "runtime/processors/around/with-processors.ts", symbol: "outputWithProcessors" },
  },
};

/** An option that is put around a component, and the function that does it. */
export interface WrappedOption {
  readonly field: FieldPlan;
  readonly link: RuntimeLink;
}

/** The options of a component that are put around it, the innermost one first. */
export function wrappedOptions(component: ComponentPlan): readonly WrappedOption[] {
  const { fields } = component.options;
  return Object.keys(wrappers).flatMap((option) => {
    const field = fields.find(({ name }) => name === option);
    const link = field && findWrapper(component, option);
    return field && link ? [{ field, link }] : [];
  });
}

/** What puts an option around a component; `undefined` for options that are the component's own. */
function findWrapper({ role, descriptor }: ComponentPlan, option: string): RuntimeLink | undefined {
  if (role !== "input" && role !== "output") return undefined;
  if (descriptor.batchesItself === true && option === "batching") return undefined;
  return Object.hasOwn(wrappers, option) ? wrappers[option]?.[role] : undefined;
}

/** What the listener is made of where a set asks for more than plain HTTP. */
export const listenerLinks = {
  tls: { module: "runtime/http/listener/secure.ts", symbol: "secureListener" },
  proxies: { module: "runtime/http/listener/trusted-proxies.ts", symbol: "trustedProxies" },
} as const satisfies Links;

/** What makes the policy of an API of its `cors` block. */
export const apiCorsLink: RuntimeLink = { module: "runtime/http/cors.ts", symbol: "apiCors" };

/** What finds the version of a request, by where it is named. */
export const versionLinks = {
  url: { module: "runtime/http/versions/in-path.ts", symbol: "versionsInPath" },
  header: { module: "runtime/http/versions/keyed.ts", symbol: "versionsInHeader" },
  "url-param": { module: "runtime/http/versions/keyed.ts", symbol: "versionsInQuery" },
} as const satisfies Links;

/** What sends requests on to the upstream of an API. */
export const upstreamLink: RuntimeLink = { module: "runtime/proxy/upstream.ts", symbol: "proxyTo" };

/** What makes something of a block of options before a component gets it. */
export const makerLinks: Readonly<Record<MakerName, RuntimeLink>> = {
  "name-test": { module: "runtime/message/name-filter.ts", symbol: "createNameFilter" },
  "host-test": { module: "runtime/requests/public-addresses.ts", symbol: "hostTest" },
  oauth: { module: "runtime/requests/oauth.ts", symbol: "oauthSignature" },
  "client-credentials": { module: "runtime/requests/client-credentials.ts", symbol: "clientCredentials" },
  "basic-credentials": { module: "runtime/requests/basic-credentials.ts", symbol: "basicCredentials" },
  "signed-token": { module: "runtime/requests/signed-token.ts", symbol: "signedToken" },
  proxy: { module: "runtime/requests/proxy.ts", symbol: "createProxy" },
  cors: { module: "runtime/http/cors.ts", symbol: "corsPolicy" },
  "path-test": { module: "runtime/keys/path-test.ts", symbol: "pathTest" },
  "smtp-mailer": { module: "runtime/portal/mail/smtp-mailer.ts", symbol: "smtpMailer" },
  "client-authority": { module: "runtime/portal/certificates/authority.ts", symbol: "clientAuthority" },
  "portal-accounts": { module: "runtime/portal/accounts/accounts.ts", symbol: "portalAccounts" },
  "portal-sign-on": { module: "runtime/portal/sign-on/portal-sign-on.ts", symbol: "portalSignOn" },
  "msk-token": { module: "runtime/connectors/kafka/msk-token.ts", symbol: "mskToken" },
  "password-test": { module: "runtime/keys/passwords.ts", symbol: "passwordTest" },
};

/** What makes texts in which values are encoded by where they stand. */
export const encodedLinks: Readonly<Record<Encoding, RuntimeLink>> = {
  url: { module: "runtime/requests/url-text.ts", symbol: "urlOf" },
  parameters: { module: "runtime/requests/parameter-text.ts", symbol: "parametersOf" },
};

/** What says where a gateway counts requests. */
export const countersLink: RuntimeLink = {
  module: "runtime/limits/gateway-counters.ts",
  symbol: "gatewayCounters",
};

/** What says where leases are kept, by the field of `leases` that names the store. */
export const leaseLinks = {
  redis: { module: "runtime/leases/redis-leases.ts", symbol: "redisLeases" },
  postgres: { module: "runtime/leases/postgres-leases.ts", symbol: "postgresLeases" },
  jetstream: { module: "runtime/leases/jetstream-leases.ts", symbol: "jetStreamLeases" },
} as const satisfies Links;

/** What has an input read on one replica at a time. */
export const leasedInputLink: RuntimeLink = {
  module: "runtime/leases/leased-input.ts",
  symbol: "leasedInput",
};

/** What makes the keys of a gateway of its policies and keys. */
export const configuredKeysLink: RuntimeLink = {
  module: "runtime/keys/configured-keys.ts",
  symbol: "configuredKeys",
};

/** What makes the endpoints of tokens of clients. */
export const oauthServerLink: RuntimeLink = {
  module: "runtime/oauth/stored-clients.ts",
  symbol: "gatewayOauth",
};

/** What a gateway with a store is made of in place of those two, and besides. */
export const storeLinks = {
  keys: { module: "runtime/keys/store-keys.ts", symbol: "storeKeys" },
  oauth: { module: "runtime/oauth/stored-clients.ts", symbol: "storedOauthServer" },
  store: { module: "runtime/store/gateway-store.ts", symbol: "gatewayStore" },
  portal: { module: "runtime/portal/portal.ts", symbol: "portal" },
} as const satisfies Links;

/** What choices bring along in place of a word. */
export const broughtLinks: Readonly<Record<BroughtName, RuntimeLink>> = {
  broadcast: { module: "runtime/clients/distribution.ts", symbol: "broadcast" },
  "resumable-broadcast": { module: "runtime/clients/resumable-broadcast.ts", symbol: "resumableBroadcast" },
  "acknowledged-client": { module: "runtime/sockets/acknowledged-client.ts", symbol: "joinAcknowledged" },
  "authorization-endpoint": {
    module: "runtime/oauth/authorization-endpoint.ts",
    symbol: "authorizationEndpoint",
  },
  "device-authorization": {
    module: "runtime/oauth/device-authorization.ts",
    symbol: "deviceAuthorization",
  },
  "key-usage": { module: "runtime/limits/key-usage.ts", symbol: "keyUsage" },
  "portal-page": { module: "runtime/portal/page/page.ts", symbol: "portalPage" },
};

/** What `error_handling` brings along. */
export const handlingLinks: Readonly<Record<HandlingName, RuntimeLink>> = {
  "dead-letters": { module: "runtime/stream/dead-letters.ts", symbol: "deadLetters" },
  "failure-samples": { module: "runtime/stream/failure-samples.ts", symbol: "failureSamples" },
  "repeated-delivery": { module: "runtime/stream/repeated-delivery.ts", symbol: "repeatDelivery" },
};

/** All rows but those of components, for the test that proves them. */
export function allLinks(): readonly RuntimeLink[] {
  return [
    gatewayLink,
    apiLink,
    perRequestLink,
    ...Object.values(wrappers).flatMap((links) => Object.values(links)),
    sharingLink,
    dependantsLink,
    ...Object.values(makerLinks),
    ...Object.values(encodedLinks),
    ...Object.values(broughtLinks),
    ...Object.values(handlingLinks),
    apiCorsLink,
    configuredKeysLink,
    oauthServerLink,
    upstreamLink,
    ...Object.values(versionLinks),
    ...Object.values(listenerLinks),
    ...Object.values(storeLinks),
    ...Object.values(leaseLinks),
    leasedInputLink,
  ];
}
