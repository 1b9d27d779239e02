// Finds the secrets of a source file: values of fields that contain secrets, credentials in URLs, private keys, and the
// whole of a file that is neither a document nor a mapping. Searches the text, so that it also works for documents that
// do not parse, and for fields that are misspelt or misplaced.

import type { TextChange } from "../../source/edited-places.ts";
import type { SourceFile } from "../../source/source.ts";
import { mappingRanges } from "./mappings.ts";
import { isSecretName, secretMap, unassignedSecretMap } from "./names.ts";
import {
  endOfLine,
  endOfMap,
  endOfValue,
  fieldsOf,
  type HiddenRange,
  longestLooked,
  matchesInLines,
} from "./values.ts";

/** Returns the ranges of a file that are secrets. */
export function hiddenRangesOf(file: SourceFile): readonly HiddenRange[] {
  const known = ranges.get(file);
  if (known !== undefined) return known;
  const found = findRanges(file);
  ranges.set(file, found);
  return found;
}

/** Cached ranges of files: the same text has the same ranges. */
const ranges = new WeakMap<SourceFile, readonly HiddenRange[]>();

/** The distance in characters within which another secret, or the name of one, may affect what is a secret. */
const surroundings = 5000;

/**
 * Reuses the ranges of a text for its next version if the change does not affect them: it contains only words and is
 * not near a secret. Large documents are then not searched again for each letter.
 */
export function carryRanges(older: SourceFile, newer: SourceFile, change: TextChange): void {
  const known = ranges.get(older);
  if (known === undefined || isHidden(newer)) return;
  const growth = change.length - (change.end - change.start);
  const [from, to] = [change.start - surroundings, change.end + surroundings];
  const isNear = known.some(({ start, end }) => start < to && end > from);
  const isWord = (text: string) => /^[\w .,-]*$/.test(text);
  const isHarmless =
    !isNear &&
    isWord(older.text.slice(change.start, change.end)) &&
    isWord(newer.text.slice(change.start, change.start + change.length)) &&
    [older.text.slice(Math.max(0, from), to), newer.text.slice(Math.max(0, from), to + growth)].every(
      (text) => !/\bopentelemetry\b/i.test(text) && searched(text).length === 0,
    );
  if (!isHarmless) return;
  ranges.set(
    newer,
    known.map(({ start, end }) =>
      start < change.start ? { start, end } : { start: start + growth, end: end + growth },
    ),
  );
}

/** Whether no part of a file may be quoted. */
export function isHidden({ path, text }: SourceFile): boolean {
  if (/\.(?:blobl|bloblang|md)$|^<[^>]*>$/i.test(path)) return false;
  if (/\.json$/i.test(path)) return !/^\s*[{[]|":/.test(text);
  return !/\.ya?ml$/i.test(path) || !looksLikeDocument(text);
}

/** Whether a file may contain fields. Variables, private keys, accounts and a few words do not count as fields. */
function looksLikeDocument(text: string): boolean {
  // A Kubernetes Secret is not part of a set.
  if (/^kind:[ \t]*["']?Secret\b/m.test(text)) return false;
  if (/:(?:\s|$)|[{[]| = /m.test(text)) return true;
  return text.length > 500 && !/^(?:export )?[A-Za-z_]\w*=|^-----BEGIN |^[\w-]+:[^\s:]*:/m.test(text);
}

function findRanges(file: SourceFile): readonly HiddenRange[] {
  const { text } = file;
  return isHidden(file) ? [{ start: 0, end: text.length }] : searched(text);
}

function searched(text: string): readonly HiddenRange[] {
  const found = [
    ...fieldRanges(text),
    ...unassignedMapRanges(text),
    ...pairRanges(text),
    ...assignedRanges(text),
    ...addressRanges(text),
    ...mappingRanges(text),
    ...matches(text, /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END )[\s\S])*/g),
    ...matches(text, /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g),
  ];
  return found.filter(({ start, end }) => end > start);
}

function* matches(text: string, pattern: RegExp): Iterable<HiddenRange> {
  for (const { 0: matched, index } of text.matchAll(pattern))
    yield { start: index, end: index + matched.length };
}

function* fieldRanges(text: string): Iterable<HiddenRange> {
  let hiddenUntil = 0;
  const isExporting = /\bopentelemetry\b/i.test(text);
  // A large document repeats a few names.
  const harmless = new Set<string>();
  const isNeeded = (name: string, start: number) => start < hiddenUntil || !harmless.has(name);
  for (const { name, index, start } of fieldsOf(text, isNeeded)) {
    const isOfSecrets = secretMap.test(name) || (isExporting && /^headers?$/i.test(name));
    if (start < hiddenUntil) {
      // A block may be indented less than the map that contains it, and then ends the map.
      const end = /[|>]/.test(text.charAt(start)) ? endOfValue(text, index, start) : start;
      if (end > hiddenUntil) yield { start, end };
      continue;
    }
    if (!isOfSecrets && !mayBeSecret(name)) harmless.add(name);
    const isSecret = !isOfSecrets && holdsSecret(name, text, index, start);
    if (isOfSecrets || (isSecret && isMapAt(text, start))) {
      hiddenUntil = endOfMap(text, index, start);
      yield* leafRanges(text, start, hiddenUntil);
    } else if (isSecret) {
      for (const range of valueRanges(text, index, start)) {
        yield range;
        if (range.start - 1 <= start && range.start >= start) hiddenUntil = range.end;
      }
    }
  }
}

function* unassignedMapRanges(text: string): Iterable<HiddenRange> {
  for (const { 0: matched, index } of text.matchAll(unassignedSecretMap)) {
    const start = index + matched.length;
    yield* leafRanges(text, start, endOfMap(text, index, start));
  }
}

/** Yields all parts of a map except its keys. */
function* leafRanges(text: string, from: number, to: number): Iterable<HiddenRange> {
  const key = /(?<=[{,\n]\s*)["']?[A-Za-z_][\w.-]*["']?[ \t]*:(?=\s)/g;
  let start = from;
  for (const { 0: matched, index } of text.slice(from, to).matchAll(key)) {
    yield trimmed(text, start, from + index);
    start = from + index + matched.length;
  }
  yield trimmed(text, start, to);
}

/** Returns a range without brackets, quotes and blanks around it. */
function trimmed(text: string, start: number, end: number): HiddenRange {
  const value = text.slice(start, end);
  const lead = value.length - value.replace(/^[\s{[,"']+/, "").length;
  const tail = value.length - value.trimEnd().replace(/[\s}\],"']{1,20}$/, "").length;
  return { start: start + lead, end: Math.max(start + lead, end - tail) };
}

function* valueRanges(text: string, keyAt: number, start: number): Iterable<HiddenRange> {
  const isQuoted = /["']/.test(text.charAt(start));
  const range = { start: isQuoted ? start + 1 : start, end: endOfValue(text, keyAt, start) };
  yield range;
  // A line that is neither a field nor an item is a misplaced value.
  const lineEnd = endOfLine(text, range.end);
  const [lost = ""] =
    /^\r?\n[ \t]*(?!- |[}\]#])[^\s:]+[ \t]*(?=\r?\n|$)/.exec(text.slice(lineEnd, lineEnd + longestLooked)) ??
    [];
  if (lost !== "") yield { start: lineEnd + 1, end: lineEnd + lost.length };
  // The secret of `password: *shared` is at its anchor.
  const [, anchor] = /^\*([\w-]+)/.exec(text.slice(start, range.end)) ?? [];
  const at = anchor === undefined ? -1 : text.search(new RegExp(`&${anchor}(?![\\w-])`));
  if (at !== -1) yield { start: at, end: endOfValue(text, at, at) };
}

function holdsSecret(name: string, text: string, keyAt: number, start: number): boolean {
  if (!isSecretAt(name, text, keyAt)) return false;
  const value = text.slice(start, start + 80);
  if (/^\[\s*\]|^(?:true|false|null|~)[ \t]*(?:[,}\]#\n\r]|$)/.test(value)) return false;
  if (isRead(text.slice(start, Math.min(endOfLine(text, start), start + longestLooked)))) return false;
  if (isAddressField.test(name) && isPlainAddress.test(value)) return false;
  if (isConnectionField.test(name) && isDatabaseFile(text, start)) return false;
  if (!isMapAt(text, start)) return name !== "source" || !isPlaceOfKey.test(value);
  return (
    !isAddressField.test(name) &&
    !isSettingsField.test(name) &&
    holdsSecretMap(text.slice(start, endOfMap(text, keyAt, start)))
  );
}

/** A key that is read from a URL or a file is not written there itself. */
const isPlaceOfKey = /^["']?(?:https?:\/\/|[^"'\n]*\$\{file:)/;

function isMapAt(text: string, start: number): boolean {
  const value = text.slice(start, start + 80);
  return /^(?:\{|(?:#[^\n]*)?\r?\n\s*["']?[A-Za-z_][A-Za-z0-9_.-]*["']?:(?:\s|$))/.test(value);
}

/**
 * Whether the map under a secret name, which should be a text, is a secret as a whole. Schemas and blocks of settings
 * are not: their fields are examined individually. A schema contains a `type` anywhere. A block of settings is
 * recognised by its first field, because a map without an end would include fields of others.
 */
function holdsSecretMap(value: string): boolean {
  const isDescription =
    /(?<![\w.-])["']?(?:type|\$ref|properties|flows|schema|oneOf|anyOf|allOf|enum|const)["']?[ \t]*:/.test(
      value,
    );
  return !isDescription && !firstOfSettings.test(value);
}

const firstOfSettings =
  /^[{\s]*(?:#[^\n]*\n\s*)*["']?(?:enabled|disabled|name|user|username|password|url|tokenUrl|authorizationUrl|scopes|description|in|scheme)["']?[ \t]*:/;

/** Fields that contain a URL, in which only the password is hidden. They are also names of hosts. */
const isAddressField = /^(?:store|redis|postgres)$/i;

/** Secrets as texts, settings as maps. */
const isSettingsField = /^(?:jwt|bearer|signature)$/i;

/** A URL, or the port after a host with such a name, as in `redis:6379/0`. */
const isPlainAddress =
  /^["']?(?:sqlite:|[a-z][\w+.-]*:\/\/|\d{1,5}(?:[/?,][^@\s]*)?["']?(?=[ \t]*(?:[,}\]#\n\r]|$)))/;

/** Fields that contain a connection string. */
const isConnectionField = /(?:dsn|data_?source_?name)$/i;

/** A whole connection string that names an SQLite database, without parameters, which may contain a password. */
const databaseFile =
  /(["']?)(?:file:[\w./-]{1,400}|:memory:)\1[ \t]{0,20}(?:$|[\r\n}\]]|(?<=[ \t])#|,\s{0,20}["']?[\w.-]{1,100}["']?:\s)/y;

function isDatabaseFile(text: string, start: number): boolean {
  databaseFile.lastIndex = start;
  return databaseFile.test(text);
}

/** The length of `key` and `dsn` with one letter too many. */
const longestUnsure = 4;

/**
 * Whether a field is a secret. Keys of messages and caches have the same names as keys of certificates, `source` is the
 * key of tokens only beside their other fields, and a misspelt `dsn` may be a name of its own, so the text around them
 * decides.
 */
function isSecretAt(name: string, text: string, keyAt: number): boolean {
  if (isAddressField.test(name) || isSecretName(name)) return true;
  if (name === "source") return nearTokens.test(text.slice(Math.max(0, keyAt - 1000), keyAt + 300));
  if (name.length > longestUnsure) return false;
  const around = () => text.slice(Math.max(0, keyAt - 200), keyAt + 200);
  if (likeKey.test(name)) return /\bcert|-----BEGIN/i.test(around());
  return likeDsn.test(name) && /\bsql|\bdriver/i.test(around());
}

/** Whether a field with this name is a secret at some place. */
function mayBeSecret(name: string): boolean {
  if (isAddressField.test(name) || isSecretName(name) || name === "source") return true;
  return name.length <= longestUnsure && (likeKey.test(name) || likeDsn.test(name));
}

/** `key`, or `key` with a wrong letter. */
const likeKey = /^(?:\w?key|k\w?ey|ke\w?y|key\w|ky|ke|ey|kye|eky)$/i;

/** `dsn`, or `dsn` with a wrong letter. */
const likeDsn = /^(?:\w?dsn|d\w?sn|ds\w?n|dsn\w|ds|dn|sn|dns|sdn|\wsn|d\wn|ds\w)$/i;

/** What surrounds the `source` of the keys of tokens. The same name has other meanings in mappings, tests and schemas. */
const nearTokens =
  /securityScheme|authentication|signing_?Method|jwks_?URI|identity_?Base_?Field|policy_?Field_?Name|client_?Base_?Field/i;

/** Whether a whole value is read from elsewhere: a variable without a default, a file, or a query. */
function isRead(value: string): boolean {
  const [, quote = "", rest = ""] = /^(["']?)\$\{(.*)$/.exec(value.trimEnd()) ?? [];
  const end = /^(?:[A-Za-z0-9_.]+|file:[^},\s"']+|!(?:(?!,\s*["']?[\w.-]+["']?:)[^{}])*)\}/.exec(rest)?.[0];
  if (end === undefined || (end.startsWith("!") && (isBareWord(end) || holdsLiteral(end)))) return false;
  const after = rest.slice(end.length);
  return after.startsWith(quote) && /^[ \t]*(?:[,}\]].*|#.*)?$/.test(after.slice(quote.length));
}

/** Whether a query contains no call and no name to read: it may be the secret itself, in `${! }` by mistake. */
function isBareWord(query: string): boolean {
  return !/[(@"']|\b(?:this|root)\b/.test(query);
}

/** Whether a query contains a text that is not the name of something to read: `"…"` alone, or `.or("…")`. */
function holdsLiteral(query: string): boolean {
  return [...query.matchAll(/["'](?:[^"'\\]|\\.)*["']?/g)].some(({ index }) => {
    // Quotes are escaped if the whole query is in quotes.
    const before = query
      .slice(Math.max(0, index - 80), index)
      .replace(/\\{0,8}$/, "")
      .trimEnd();
    return !/\w\($/.test(before) || /\b(?:or|catch)\($/.test(before);
  });
}

/** Yields the values of `{ name: Authorization, value: … }`, in either order. */
function* pairRanges(text: string): Iterable<HiddenRange> {
  for (const { 0: matched, index } of text.matchAll(/(?<![\w.-])["']?(?:value|values)["']?[ \t]*:[ \t]*/g)) {
    const start = index + matched.length;
    const end = endOfValue(text, index, start);
    const around = `${text.slice(Math.max(0, index - 120), index)}\n${text.slice(end, end + 120)}`;
    const names = [...around.matchAll(/(?<![\w.-])(?:name|header)["']?[ \t]*:[ \t]*["']?([\w.-]+)/g)];
    if (names.some(([, name = ""]) => isSecretName(name))) yield { start, end };
  }
}

/**
 * Yields the values of `password=…` in queries, connection strings and mappings, of `${PASSWORD:…}`, and of fields with
 * a missing colon or an equals sign.
 */
function* assignedRanges(text: string): Iterable<HiddenRange> {
  const ofParameters = /(?<=[?&;"'\s])(?<!\blet[ \t])([A-Za-z_][\w.-]*)=([^&\s"'#;]+)/g;
  const ofMappings = /(?<![\w.-])([A-Za-z_][\w.-]*)["']?[ \t]*=[ \t]*('[^'\n]*'?)/g;
  const ofVariables = /\$\{([A-Za-z_][\w.]*):([^}\n]+)/g;
  const withoutColon =
    /(?:^|(?<=[,{[-]))[ \t]*["']?(?<![\w.-])([A-Za-z_][\w.-]*)["']?[ \t]+(?:=[ \t]*)?([^\s:=,}\]][^\n,}\]]*)/gm;
  const found = [
    ...matchesInLines(text, "=", ofParameters),
    ...matchesInLines(text, "=", ofMappings),
    ...matchesInLines(text, "${", ofVariables),
  ];
  yield* judged(found);
  yield* judged(matchesInLines(text, unassigned, withoutColon));

  function* judged(assigned: Iterable<RegExpExecArray>): Iterable<HiddenRange> {
    for (const { 0: matched, 1: name = "", 2: value = "", index } of assigned) {
      const isOfQuery = /[?&]/.test(text.charAt(index - 1)) && secretParameter.test(name);
      if (name === "file" || !(isOfQuery || isSecretAt(name, text, index)) || isRead(value)) continue;
      if (name === "source" || isAddressField.test(name)) continue;
      // The texts of an expression are hidden, and the rest of it is shown.
      if (/^root\./.test(name) && /=/.test(matched) && isExpression.test(value)) continue;
      const end = index + matched.length;
      const start = end - value.length + (/^["']/.test(value) ? 1 : 0);
      yield { start, end: start < end && /["']$/.test(matched) ? end - 1 : end };
    }
  }
}

/**
 * The beginning of a match of `withoutColon`, after a line break or a sign. In most lines of a document, a colon follows the
 * name. V8 finds one of a few characters much faster than the start of a line.
 */
const unassigned = /[\n\r\u2028\u2029,{[-][ \t]*["']?(?<![\w.-])[A-Za-z_][\w.-]*["']?[ \t]+[^\s:,}\]]/g;

/** What an expression of a mapping begins with. */
const isExpression = /^(?:this|root|if|match|@|\(|\w+\()/;

/** Query parameters that grant access, with names that have another meaning at other places. */
const secretParameter = /^(?:key|sig|code|auth|jwt|signature|session|sessionid|sid)$/i;

/** Yields the part of a URL before its `@`: the password, or everything if it has no user name. */
function* addressRanges(text: string): Iterable<HiddenRange> {
  for (const found of text.matchAll(/:\/\//g)) {
    const start = found.index + 3;
    const [address = ""] = /^[^\s"'<>`]*/.exec(text.slice(start, start + longestLooked)) ?? [];
    const authority = /^[^/?#]*/.exec(address)?.[0] ?? "";
    // A password that contains an unencoded slash: the text after the colon is not a port.
    const isOpen = !authority.includes("@") && /:(?!\d*$)(?!\$\{)/.test(authority);
    const at = (isOpen ? address : authority).lastIndexOf("@");
    const colon = address.indexOf(":");
    const from = colon !== -1 && colon < at && !/^\$\{[^}]*$/.test(address.slice(0, colon)) ? colon + 1 : 0;
    if (at > from && !isRead(address.slice(from, at))) yield { start: start + from, end: start + at };
  }
  for (const found of matchesInLines(text, "@", /(?<=[\s"'[,])[\w.-]+:([^\s/@"'{}]+)@(?=[\w.-])/g)) {
    const end = found.index + found[0].length - 1;
    yield { start: end - (found[1] ?? "").length, end };
  }
}
