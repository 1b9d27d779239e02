// Finds the network destinations of a gateway that its documents reveal before it starts.

import { isIP } from "node:net";
import { addressFields, findsFurtherServers, schemePorts, usualPort } from "../../schemas/shipping.ts";
import type { ComponentPlan, Plan, ValuePlan } from "../plan/plan.ts";
import { valuesWithin } from "../plan/values.ts";

/** A host and port that a gateway connects to. */
export interface NetworkDestination {
  /** A name or an address; absent if it comes from the environment. */
  readonly host?: string;
  readonly port: number;
  /** A description without credentials: the host, or the variables that contain it. */
  readonly from: string;
  /**
   * Whether the port is the default of the protocol or of a variable, so that the environment may specify another one.
   */
  readonly isAssumed: boolean;
}

/** Returns the destinations of a plan, each once, ordered by port. */
export function destinationsOf({ settings, apis }: Plan): readonly NetworkDestination[] {
  const { counters, leases, oauth, store, portal, analytics } = settings;
  const parts: readonly (ValuePlan | undefined)[] = [
    ...[counters, leases, oauth, store?.address, portal],
    ...analytics.exporters.map(({ options }) => options),
    ...apis.flatMap(({ upstream, protections }) => [upstream, ...protections.map(({ options }) => options)]),
    ...apis
      .flatMap(({ streams }) => streams)
      .flatMap((stream) => [
        ...[stream.input, ...stream.pipeline, stream.output, stream.errorHandling],
        ...stream.resources.map(({ component }) => component),
      ]),
  ];
  const values = parts.flatMap((part) => (part === undefined ? [] : valuesWithin(part)));
  const found = values.flatMap((value) =>
    value.kind === "Component" ? inAddressFields(value) : addressesIn(value, undefined),
  );
  const all = new Map(found.map((each) => [`${each.from} ${each.port}`, each]));
  return [...all.values()].sort((one, other) => one.port - other.port || (one.from < other.from ? -1 : 1));
}

/** Returns the addresses of a component whose protocol has a port; addresses with a scheme are found as values. */
function inAddressFields({ name, options }: ComponentPlan): readonly NetworkDestination[] {
  const port = usualPort(name);
  if (port === undefined) return [];
  return options.fields
    .filter((field) => addressFields.has(field.name))
    .flatMap(({ value }) => valuesWithin(value))
    .flatMap((value) => addressesIn(value, port))
    .map((found) => (findsFurtherServers(name) ? withoutAddress(found) : found));
}

/**
 * Removes an IP address as the host: brokers send clients the addresses of further brokers, which are not in the
 * document.
 */
function withoutAddress({ host, ...found }: NetworkDestination): NetworkDestination {
  return host === undefined || isIP(host.replace(/^\[|\]$/g, "")) !== 0 ? found : { ...found, host };
}

/** Stands for text that only the environment knows; no address contains it. */
const unknown = "\0";

/** A text of a plan. */
interface KnownText {
  /** The text with the defaults of variables, or `unknown` if there is no default. */
  readonly text: string;
  /** The text with `unknown` for every variable. */
  readonly fixed: string;
  readonly variables: readonly string[];
}

const noText: KnownText = { text: "", fixed: "", variables: [] };

function addressesIn(value: ValuePlan, port: number | undefined): readonly NetworkDestination[] {
  const { text, fixed, variables } = knownText(value);
  const fixedAddresses = fixed.split(",");
  const addresses = text.split(",");
  return addresses.flatMap((address, index) => {
    const same = addresses.length === fixedAddresses.length ? (fixedAddresses[index] ?? "") : unknown;
    return readAddress({ text: address.trim(), fixed: same.trim(), variables }, port) ?? [];
  });
}

function knownText(value: ValuePlan): KnownText {
  if (value.kind === "Literal") {
    return typeof value.value === "string" ? { ...noText, text: value.value, fixed: value.value } : noText;
  }
  if (value.kind === "JoinedText") {
    return join(
      value.parts.map((part) => {
        const isRead = part.kind === "Literal" || part.kind === "Environment";
        return isRead ? knownText(part) : { text: unknown, fixed: unknown, variables: [] };
      }),
    );
  }
  if (value.kind !== "Environment") return noText;
  return join(
    value.parts.map((part) => {
      if (part.kind === "Text") return { ...noText, text: part.text, fixed: part.text };
      if (part.kind !== "Variable") return { ...noText, text: unknown, fixed: unknown };
      const { name, fallback = unknown } = part;
      return { text: String(fallback), fixed: unknown, variables: [name] };
    }),
  );
}

function join(parts: readonly KnownText[]): KnownText {
  return {
    text: parts.map(({ text }) => text).join(""),
    fixed: parts.map(({ fixed }) => fixed).join(""),
    variables: parts.flatMap(({ variables }) => variables),
  };
}

const addressPattern =
  /^(?:([a-z][a-z0-9+]*):\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#[\]]*)(?::([^/?#]*))?(?=[/?#]|$)/i;

function readAddress(
  { text, fixed, variables }: KnownText,
  componentPort: number | undefined,
): NetworkDestination | undefined {
  const [, scheme, host = "", port] = addressPattern.exec(text) ?? [];
  const usual = scheme === undefined ? componentPort : (schemePorts[scheme.toLowerCase()] ?? componentPort);
  if (usual === undefined || host === "") return undefined;
  const number = /^\d{1,5}$/.test(port ?? "") ? Number(port) : usual;
  const [, fixedScheme, fixedHost = "", fixedPort = ""] = addressPattern.exec(fixed) ?? [];
  const isKnown = fixedHost !== "" && !`${fixedHost}${fixedPort}`.includes(unknown) && fixedScheme === scheme;
  if (isKnown) return { host, port: number, from: host, isAssumed: false };
  const names = variables.map((name) => `\${${name}}`).join(" ");
  const from = names === "" ? "an address that messages or requests choose" : names;
  return { port: number, from, isAssumed: true };
}
