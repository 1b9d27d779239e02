// Resolves the settings in `gateway.yaml` for the process around the APIs.

import type { Span } from "../source/source.ts";
import type { ApiSet, FieldNode, ObjectField } from "../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
} from "../trees/document.ts";
import { findField, findNamedField, findObject, type NamedField } from "../trees/fields.ts";
import {
  createPartReader,
  entriesOf,
  itemsOf,
  type PartReader,
  type WrittenBlock,
  type WrittenValue,
} from "./written.ts";

/** The settings of a set. Without a `gateway.yaml` all of them are absent. */
export interface SettingsModel {
  readonly node: MapNode | undefined;
  readonly fields: ObjectField | undefined;
  /** Whether streams run: `streaming.enabled`. True if the command line names documents instead of a set. */
  readonly isStreaming: boolean;
  /** `streaming` */
  readonly streaming: MapEntry | undefined;
  /** `apis`: the files of the set. */
  readonly files: MapEntry | undefined;
  /** The listener for clients: `listen`, or `listen.address`. */
  readonly listen: WrittenValue | undefined;
  readonly tls: TlsModel | undefined;
  /** `admin.listen` */
  readonly adminListen: WrittenValue | undefined;
  readonly trustedProxies: WrittenValue | undefined;
  readonly limits: PartReader;
  readonly limitFields: ObjectField | undefined;
  /** The names in `allow_unsafe`. */
  readonly allowed: WrittenValue | undefined;
  /** `rules`: levels of diagnostics. */
  readonly levels: WrittenValue | undefined;
  /** `error_handling`, for streams without one of their own. */
  readonly errorHandling: WrittenValue | undefined;
  /** `analytics.opentelemetry.endpoint` */
  readonly collector: WrittenValue | undefined;
  readonly exporters: Readonly<Record<"prometheus" | "opentelemetry" | "statsd", WrittenBlock | undefined>>;
  readonly portal: PortalModel;
  /** `webhooks` of the portal. */
  readonly webhooks: WrittenValue | undefined;
  readonly store: WrittenValue | undefined;
  /**
   * Whether records of a store apply in addition to those of the settings. The portal needs a store, whose address may
   * exist only in the environment.
   */
  readonly hasStore: boolean;
  readonly redis: WrittenValue | undefined;
  /** The location of the leases that decide which replica runs an input. */
  readonly leases: WrittenValue | undefined;
  readonly leaseTerm: WrittenValue | undefined;
  /**
   * The place that shows that the set is made for several gateways in parallel, absent for a single gateway. Only
   * several gateways share counters and records over the network, and nothing else in a document shows it.
   */
  readonly replicasSpan: Span | undefined;
  readonly oauth: OauthModel;
  readonly policies: readonly AccessRecord[];
  readonly keys: readonly AccessRecord[];
}

/** `listen.tls` */
export interface TlsModel extends WrittenValue {
  /** Whether connections have to come with a client certificate: `client_certificates`. */
  readonly clientCertificates: DocumentNode | undefined;
  readonly hasClientCa: boolean;
}

/** `portal` */
export interface PortalModel {
  readonly isEnabled: boolean;
  /** Whether the block contains `enabled`. */
  readonly isStated: boolean;
  readonly fields: ObjectField | undefined;
  /** Its own listener. */
  readonly listen: WrittenValue | undefined;
  /** Whether it has a web page. */
  readonly hasPage: boolean;
  /** Whether it can send e-mails: `smtp`. */
  readonly hasMail: boolean;
  readonly accounts: NamedField | undefined;
  readonly signOn: NamedField | undefined;
  readonly languages: LanguagesModel;
}

/** `portal.languages` */
export interface LanguagesModel {
  readonly field: FieldNode | undefined;
  readonly default: FieldNode | undefined;
  /** Whether files add languages to those of the portal. */
  readonly hasAdditional: boolean;
}

/** `oauth` and `oauth_clients`: tokens that the gateway itself issues. */
export interface OauthModel {
  readonly fields: ObjectField | undefined;
  readonly clients: readonly WrittenClient[];
  readonly clientFields: readonly FieldNode[];
  /** Whether clients are configured, or a store may contain some. */
  readonly isOffered: boolean;
}

/** A client as written. */
export interface WrittenClient {
  readonly node: DocumentNode;
  /** `policy_id` */
  readonly policy: DocumentNode | undefined;
  readonly scopes: readonly DocumentNode[];
}

/** A policy or a key as written. */
export interface AccessRecord {
  readonly node: DocumentNode;
  /** The id of a policy. */
  readonly id: string | undefined;
  /** `access_rights` */
  readonly rightsEntry: MapEntry | undefined;
  /** The entries of `access_rights`. */
  readonly rights: readonly WrittenRight[];
  readonly limits: WrittenLimits;
  /** The ids of the policies of a key: `apply_policies`. */
  readonly policies: readonly { readonly id: string; readonly span: Span }[];
  /** Whether the key names policies, valid or not. */
  readonly hasPolicies: boolean;
  /** The name of a key in lists: its `alias`, or its `username`. */
  readonly name: string | undefined;
  /** How callers use a key; a plain key is sent as it is, or belongs to a certificate. */
  readonly use: "plain" | "basic" | "jwt" | "hmac";
  /** `jwt_data.secret` */
  readonly tokenKey: DocumentNode | undefined;
}

/** An entry of `access_rights`: what a policy or a key may use of one API. */
export interface WrittenRight {
  /** The id of the API. */
  readonly key: string;
  readonly keySpan: Span;
  /** `api_id`, which repeats the id. */
  readonly ownId: DocumentNode | undefined;
  readonly versions: readonly DocumentNode[];
  /** `allowed_urls` */
  readonly urls: readonly WrittenUrl[];
  readonly limits: WrittenLimits;
}

/** An entry of `allowed_urls`. */
export interface WrittenUrl {
  /** A regular expression. */
  readonly url: DocumentNode | undefined;
  readonly methods: readonly DocumentNode[];
}

/** The numbers of a rate and a quota. */
export interface WrittenLimits {
  readonly rate: DocumentNode | undefined;
  readonly per: DocumentNode | undefined;
  /** `quota_max` */
  readonly quota: DocumentNode | undefined;
  /** `quota_renewal_rate` */
  readonly quotaRenewal: DocumentNode | undefined;
}

/** Resolves the settings of a set. */
export function resolveSettings({
  settings: node,
  settingsFields: fields,
}: Pick<ApiSet, "settings" | "settingsFields">): SettingsModel {
  const part = createPartReader(node, fields);
  const portal = readPortal(part, findObject(fields, "portal"));
  const [store, redis, leases] = [part.value("store"), part.value("redis"), part.value("leases")];
  const hasStore = portal.isEnabled || store !== undefined;
  return {
    node,
    fields,
    isStreaming: node === undefined || part.isOn("streaming", "enabled"),
    streaming: findEntry(node, "streaming"),
    files: findEntry(node, "apis"),
    listen: part.value("listen", "address") ?? part.value("listen"),
    tls: readTls(part.value("listen", "tls")),
    adminListen: part.value("admin", "listen"),
    trustedProxies: part.value("trusted_proxies"),
    limits: createPartReader(findNode(node, "limits"), findObject(fields, "limits")),
    limitFields: findObject(fields, "limits"),
    allowed: part.value("allow_unsafe"),
    levels: part.value("rules"),
    errorHandling: part.value("error_handling"),
    collector: part.value("analytics", "opentelemetry", "endpoint"),
    exporters: {
      prometheus: part.block("analytics", "prometheus"),
      opentelemetry: part.block("analytics", "opentelemetry"),
      statsd: part.block("analytics", "statsd"),
    },
    portal,
    webhooks: part.value("webhooks"),
    store,
    hasStore,
    redis,
    leases,
    leaseTerm: part.value("leases", "term"),
    replicasSpan: leases?.keySpan ?? redis?.keySpan ?? (isShared(store) ? store?.keySpan : undefined),
    oauth: readOauth(part, hasStore),
    policies: readRecords(part.value("policies")),
    keys: readRecords(part.value("keys")),
  };
}

function readTls(written: WrittenValue | undefined): TlsModel | undefined {
  if (written === undefined) return undefined;
  return {
    ...written,
    clientCertificates: findNode(written.node, "client_certificates"),
    hasClientCa: findNode(written.node, "client_ca_file") !== undefined,
  };
}

function readPortal(part: PartReader, fields: ObjectField | undefined): PortalModel {
  const page = findField(fields, "page");
  const languages = findField(fields, "languages");
  const additional = findField(languages, "additional");
  return {
    isEnabled: part.isOn("portal", "enabled"),
    isStated: findField(fields, "enabled") !== undefined,
    fields,
    listen: part.value("portal", "listen"),
    hasPage: page?.kind === "Literal" && page.value === true,
    hasMail: findField(fields, "smtp") !== undefined,
    accounts: findNamedField(fields, "accounts"),
    signOn: findNamedField(fields, "single_sign_on"),
    languages: {
      field: languages,
      default: findField(languages, "default"),
      hasAdditional:
        additional !== undefined && !(additional.kind === "List" && additional.items.length === 0),
    },
  };
}

function isShared(store: WrittenValue | undefined): boolean {
  return /^postgres(?:ql)?:/.test(findText(store?.node) ?? "");
}

function readOauth(part: PartReader, hasStore: boolean): OauthModel {
  const [block, list] = [part.block("oauth"), part.value("oauth_clients")];
  const clients = itemsOf(list?.node).map((node) => ({
    node,
    policy: findNode(node, "policy_id"),
    scopes: itemsOf(findNode(node, "scopes")),
  }));
  return {
    fields: block?.fields,
    clients,
    clientFields: list?.field?.kind === "List" ? list.field.items : [],
    isOffered: clients.length > 0 || (hasStore && block !== undefined),
  };
}

function readRecords(list: WrittenValue | undefined): readonly AccessRecord[] {
  return itemsOf(list?.node).map((node) => {
    const rightsEntry = findEntry(node, "access_rights");
    const policies = itemsOf(findNode(node, "apply_policies"));
    return {
      node,
      id: findText(node, "id") ?? findText(node, "_id"),
      rightsEntry,
      rights: entriesOf(rightsEntry?.value).map(readRight),
      limits: readLimits(node),
      policies: policies.flatMap((item) => {
        const id = findText(item);
        return id === undefined ? [] : [{ id, span: item.span }];
      }),
      hasPolicies: policies.length > 0,
      name: findText(node, "alias") ?? findText(node, "username"),
      ...readUse(node),
    };
  });
}

function readRight({ key, keySpan, value }: MapEntry): WrittenRight {
  return {
    key,
    keySpan,
    ownId: findNode(value, "api_id"),
    versions: itemsOf(findNode(value, "versions")),
    urls: itemsOf(findNode(value, "allowed_urls")).map((entry) => ({
      url: findNode(entry, "url"),
      methods: itemsOf(findNode(entry, "methods")),
    })),
    limits: readLimits(findNode(value, "limit")),
  };
}

function readLimits(node: DocumentNode | undefined): WrittenLimits {
  return {
    rate: findNode(node, "rate"),
    per: findNode(node, "per"),
    quota: findNode(node, "quota_max"),
    quotaRenewal: findNode(node, "quota_renewal_rate"),
  };
}

function readUse(node: DocumentNode): Pick<AccessRecord, "use" | "tokenKey"> {
  const tokenKey = findNode(node, "jwt_data", "secret");
  if (tokenKey !== undefined) return { use: "jwt", tokenKey };
  if (findNode(node, "hmac_secret") !== undefined) return { use: "hmac", tokenKey };
  return { use: findNode(node, "username") === undefined ? "plain" : "basic", tokenKey };
}
