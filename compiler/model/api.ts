// Resolves the model of an API from its document.

import type { Span } from "../source/source.ts";
import type { ApiDocument, FieldNode, ObjectField } from "../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import { findField, findObject } from "../trees/fields.ts";
import { type Blocks, readBlocks } from "./blocks.ts";
import { type ApiDescription, readDescription } from "./description.ts";
import { type DeclaredApi, declaredPaths } from "./operations.ts";
import { type ApiAuthentication, readAuthentication } from "./security.ts";
import { type DeclaredServer, declaredServers } from "./servers.ts";
import { type RequestValidation, readRequestValidation } from "./validated-operations.ts";
import { readVersioning, type Versioning } from "./versions.ts";
import {
  booleanOf,
  createPartReader,
  entriesOf,
  once,
  type PartReader,
  type WrittenValue,
} from "./written.ts";

/** A document and its resolved meaning. Its trees are kept as they are. */
export interface ApiModel extends DeclaredApi {
  /** `x-gw-api-gateway.info.name` */
  readonly name: string | undefined;
  readonly description: ApiDescription;
  /** `info.id` of the gateway part. */
  readonly writtenId: string | undefined;
  /** `components` */
  readonly components: DocumentNode | undefined;
  /** The object of `components.schemas`. */
  readonly schemasNode: DocumentNode | undefined;
  /** The entries of `components.schemas`, with its reference resolved. */
  readonly namedSchemas: readonly MapEntry[];
  /** The entries of `components.links`. */
  readonly namedLinks: readonly MapEntry[];
  /** The object of its paths. */
  readonly pathsNode: DocumentNode | undefined;
  /** The streams of `x-gw-streaming`. */
  readonly streamsNode: DocumentNode | undefined;
  /** `info.state.active`: if false, the document stays in the set and is not served. */
  readonly isServed: boolean;
  /** Whether requests reach it only as a version of another API: `info.state.internal`. */
  readonly isInternal: boolean;
  /** The place of `info.state.internal`. */
  readonly internalSpan: Span | undefined;
  /** `info.expiration` */
  readonly expiration: WrittenValue | undefined;
  readonly mount: ListenPath;
  /** `server.listenPath.value` */
  readonly writtenListenPath: WrittenValue | undefined;
  /** `server.listenPath.strip` */
  readonly stripsListenPath: FieldNode | undefined;
  /**
   * The host name under which it is served, as the gateway compares it; `undefined` for any. A host name that only the
   * environment contains is a text that no host name equals: APIs that read it from the same variable share it.
   */
  readonly host: string | undefined;
  /** `server.customDomain.name` */
  readonly hostField: FieldNode | undefined;
  readonly versioning: Versioning | undefined;
  readonly upstream: UpstreamModel;
  readonly blocks: Blocks;
  readonly servers: readonly DeclaredServer[];
  readonly authentication: ApiAuthentication;
  readonly requestValidation: RequestValidation;
}

/** The upstream, which receives the requests that no stream handles. */
interface UpstreamModel {
  readonly fields: ObjectField | undefined;
  /** Absent if no address is written. */
  readonly url: FieldNode | undefined;
}

/** Resolves a document. Expensive parts are resolved on first access and cached. */
export function resolveApi(document: ApiDocument): ApiModel {
  const { root, references, gateway, gatewayFields } = document;
  const part = createPartReader(gateway, gatewayFields);
  const servers = declaredServers(document);
  const listenPath = part.value("server", "listenPath", "value");
  const mount = readListenPath({ value: listenPath, text: findText(listenPath?.node) }, servers[0]);
  const upstream = findObject(gatewayFields, "upstream");
  const internal = part.value("info", "state", "internal");
  const description = once(() => readDescription(document));
  const paths = once(() => declaredPaths(document));
  const authentication = once(() => readAuthentication(api, part));
  const requestValidation = once(() => readRequestValidation(api, part));
  const api: ApiModel = {
    ...document,
    name: findText(gateway, "info", "name"),
    writtenId: findText(gateway, "info", "id"),
    components: findNode(root, "components"),
    schemasNode: findNode(root, "components", "schemas"),
    namedSchemas: entriesOf(references.find(root, "components", "schemas")),
    namedLinks: entriesOf(references.find(root, "components", "links")),
    pathsNode: references.find(root, "paths"),
    streamsNode: findNode(document.streaming, "streams"),
    isServed: booleanOf(part.value("info", "state", "active")?.node) !== false,
    isInternal: part.isOn("info", "state", "internal"),
    internalSpan: internal?.node.span,
    expiration: part.value("info", "expiration"),
    mount,
    listenPath: mount.path,
    writtenListenPath: listenPath,
    stripsListenPath: findField(gatewayFields, "server", "listenPath", "strip"),
    host: hostOf(document, part),
    hostField: findField(gatewayFields, "server", "customDomain", "name"),
    versioning: readVersioning(document, part),
    upstream: { fields: upstream, url: findField(upstream, "url") },
    blocks: readBlocks(part),
    servers,
    get description() {
      return description();
    },
    get paths() {
      return paths();
    },
    get authentication() {
      return authentication();
    },
    get requestValidation() {
      return requestValidation();
    },
  };
  return api;
}

function hostOf({ id }: ApiDocument, part: PartReader): string | undefined {
  const domain = part.block("server", "customDomain");
  if (domain === undefined || domain.isOff) return undefined;
  const name = findText(domain.node, "name") ?? "";
  if (name === "") return `? ${id}`;
  return name.includes("$") ? `? ${name}` : name.toLowerCase().replace(/\.$/, "");
}

/** The listen path of an API, and the place where it is written. */
interface ListenPath {
  /** With `/` at both ends. */
  readonly path: string;
  /** As the gateway compares it: names of parameters make no difference. */
  readonly shape: string;
  /** `undefined` if it is not written. */
  readonly span: Span | undefined;
}

/** Reads `x-gw-api-gateway.server.listenPath.value`, otherwise the path of `servers[0].url`, otherwise `/`. */
function readListenPath(
  written: { readonly value: WrittenValue | undefined; readonly text: string | undefined },
  server: DeclaredServer | undefined,
): ListenPath {
  const inner = (written.text ?? serverPath(server?.url)).replace(/^\/+|\/+$/g, "");
  const path = inner === "" ? "/" : `/${inner}/`;
  return { path, shape: shapeOf(path), span: written.value?.node.span ?? server?.urlSpan };
}

function serverPath(url: string | undefined): string {
  // The host is ignored: a relative URL only needs one to be parsed. Server variables (`{stage}`) have no value here,
  // so a path with a variable counts as not written.
  const path = url === undefined ? "/" : (URL.parse(url, "http://gateway.invalid/")?.pathname ?? "/");
  return path.includes("%7B") || path.includes("{") ? "/" : path;
}

function shapeOf(path: string): string {
  return path
    .split("/")
    .map((segment) => segment.replace(/^\{[^{}]+\}$/, "{}"))
    .join("/");
}
