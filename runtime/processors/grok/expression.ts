// Grok expressions: regular expressions with references to named patterns, `%{IP:client}`, `%{INT:size:int}`. The
// standard patterns are those of logstash-patterns-core (Apache-2.0) in the reference engine, in RE2 syntax.

import { RE2JS, RE2JSSyntaxException } from "re2js";
import { MappingError } from "../../errors.ts";
import { float, int64OfText } from "../../mapping/numeric.ts";
import type { ObjectValue, Value } from "../../message/value.ts";

/** The standard patterns by name. */
export const standardPatterns: Readonly<Record<string, string>> = {
  BASE10NUM: "([+-]?(?:[0-9]+(?:\\.[0-9]+)?)|\\.[0-9]+)",
  BASE16NUM: "(0[xX]?[0-9a-fA-F]+)",
  CISCOMAC: "(?:(?:[A-Fa-f0-9]{4}\\.){2}[A-Fa-f0-9]{4})",
  COMBINEDAPACHELOG: "%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}",
  COMMONAPACHELOG:
    '%{IPORHOST:clientip} %{HTTPDUSER:ident} %{USER:auth} \\[%{HTTPDATE:timestamp}\\] "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" %{NUMBER:response} (?:%{NUMBER:bytes}|-)',
  COMMONMAC: "(?:(?:[A-Fa-f0-9]{2}:){5}[A-Fa-f0-9]{2})",
  DATA: ".*?",
  DATE: "%{DATE_US}|%{DATE_EU}",
  DATESTAMP: "%{DATE}[- ]%{TIME}",
  DATESTAMP_EVENTLOG: "%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}",
  DATESTAMP_OTHER: "%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}",
  DATESTAMP_RFC2822: "%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}",
  DATESTAMP_RFC822: "%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}",
  DATE_EU: "%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}",
  DATE_US: "%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}",
  DAY: "(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)",
  EMAILADDRESS: "%{EMAILLOCALPART}@%{HOSTNAME}",
  EMAILLOCALPART: "[a-zA-Z][a-zA-Z0-9_.+-=:]+",
  GREEDYDATA: ".*",
  HOST: "%{HOSTNAME}",
  HOSTNAME: "\\b(?:[0-9A-Za-z][0-9A-Za-z-]{0,62})(?:\\.(?:[0-9A-Za-z][0-9A-Za-z-]{0,62}))*(\\.?|\\b)",
  HOSTPORT: "%{IPORHOST}:%{POSINT}",
  HOUR: "(?:2[0123]|[01]?[0-9])",
  HTTPD20_ERRORLOG:
    "\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{LOGLEVEL:loglevel}\\] (?:\\[client %{IPORHOST:clientip}\\] ){0,1}%{GREEDYDATA:errormsg}",
  HTTPD24_ERRORLOG:
    "\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{WORD:module}:%{LOGLEVEL:loglevel}\\] \\[pid %{POSINT:pid}:tid %{NUMBER:tid}\\]( \\(%{POSINT:proxy_errorcode}\\)%{DATA:proxy_errormessage}:)?( \\[client %{IPORHOST:client}:%{POSINT:clientport}\\])? %{DATA:errorcode}: %{GREEDYDATA:message}",
  HTTPDATE: "%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}",
  HTTPDERROR_DATE: "%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{YEAR}",
  HTTPDUSER: "%{EMAILADDRESS}|%{USER}",
  HTTPD_ERRORLOG: "%{HTTPD20_ERRORLOG}|%{HTTPD24_ERRORLOG}",
  INT: "(?:[+-]?(?:[0-9]+))",
  IP: "(?:%{IPV6}|%{IPV4})",
  IPORHOST: "(?:%{IP}|%{HOSTNAME})",
  IPV4: "(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)",
  IPV6: "((([0-9A-Fa-f]{1,4}:){7}([0-9A-Fa-f]{1,4}|:))|(([0-9A-Fa-f]{1,4}:){6}(:[0-9A-Fa-f]{1,4}|((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3})|:))|(([0-9A-Fa-f]{1,4}:){5}(((:[0-9A-Fa-f]{1,4}){1,2})|:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3})|:))|(([0-9A-Fa-f]{1,4}:){4}(((:[0-9A-Fa-f]{1,4}){1,3})|((:[0-9A-Fa-f]{1,4})?:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}))|:))|(([0-9A-Fa-f]{1,4}:){3}(((:[0-9A-Fa-f]{1,4}){1,4})|((:[0-9A-Fa-f]{1,4}){0,2}:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}))|:))|(([0-9A-Fa-f]{1,4}:){2}(((:[0-9A-Fa-f]{1,4}){1,5})|((:[0-9A-Fa-f]{1,4}){0,3}:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}))|:))|(([0-9A-Fa-f]{1,4}:){1}(((:[0-9A-Fa-f]{1,4}){1,6})|((:[0-9A-Fa-f]{1,4}){0,4}:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}))|:))|(:(((:[0-9A-Fa-f]{1,4}){1,7})|((:[0-9A-Fa-f]{1,4}){0,5}:((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}))|:)))(%.+)?",
  ISO8601_SECOND: "(?:%{SECOND}|60)",
  ISO8601_TIMEZONE: "(?:Z|[+-]%{HOUR}(?::?%{MINUTE}))",
  LOGLEVEL:
    "([Aa]lert|ALERT|[Tt]race|TRACE|[Dd]ebug|DEBUG|[Nn]otice|NOTICE|[Ii]nfo|INFO|[Ww]arn?(?:ing)?|WARN?(?:ING)?|[Ee]rr?(?:or)?|ERR?(?:OR)?|[Cc]rit?(?:ical)?|CRIT?(?:ICAL)?|[Ff]atal|FATAL|[Ss]evere|SEVERE|EMERG(?:ENCY)?|[Ee]merg(?:ency)?)",
  MAC: "(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})",
  MINUTE: "(?:[0-5][0-9])",
  MONTH:
    "\\b(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|M(?:a|ä)?r(?:ch|z)?|Apr(?:il)?|Ma(?:y|i)?|Jun(?:e|i)?|Jul(?:y)?|Aug(?:ust)?|Sep(?:tember)?|O(?:c|k)?t(?:ober)?|Nov(?:ember)?|De(?:c|z)(?:ember)?)\\b",
  MONTHDAY: "(?:(?:0[1-9])|(?:[12][0-9])|(?:3[01])|[1-9])",
  MONTHNUM: "(?:0?[1-9]|1[0-2])",
  MONTHNUM2: "(?:0[1-9]|1[0-2])",
  NONNEGINT: "\\b(?:[0-9]+)\\b",
  NOTSPACE: "\\S+",
  NUMBER: "(?:%{BASE10NUM})",
  PATH: "(?:%{UNIXPATH}|%{WINPATH})",
  POSINT: "\\b(?:[1-9][0-9]*)\\b",
  PROG: "[\\x21-\\x5a\\x5c\\x5e-\\x7e]+",
  QS: "%{QUOTEDSTRING}",
  QUOTEDSTRING: "\"([^\"\\\\]*(\\\\.[^\"\\\\]*)*)\"|\\'([^\\'\\\\]*(\\\\.[^\\'\\\\]*)*)\\'",
  SECOND: "(?:(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?)",
  SPACE: "\\s*",
  SYSLOGBASE: "%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:",
  SYSLOGFACILITY: "<%{NONNEGINT:facility}.%{NONNEGINT:priority}>",
  SYSLOGHOST: "%{IPORHOST}",
  SYSLOGPROG: "%{PROG:program}(?:\\[%{POSINT:pid}\\])?",
  SYSLOGTIMESTAMP: "%{MONTH} +%{MONTHDAY} %{TIME}",
  TIME: "([^0-9]?)%{HOUR}:%{MINUTE}(?::%{SECOND})([^0-9]?)",
  TIMESTAMP_ISO8601:
    "%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?%{ISO8601_TIMEZONE}?",
  TTY: "(?:/dev/(pts|tty([pq])?)(\\w+)?/?(?:[0-9]+))",
  TZ: "(?:[PMCE][SD]T|UTC)",
  UNIXPATH: "(/[\\w_%!$@:.,-]?/?)(\\S+)?",
  URI: "%{URIPROTO}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?",
  URIHOST: "%{IPORHOST}(?::%{POSINT:port})?",
  URIPARAM: "\\?[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\-\\[\\]<>]*",
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%_\\-]*)+",
  URIPATHPARAM: "%{URIPATH}(?:%{URIPARAM})?",
  URIPROTO: "[A-Za-z]+(\\+[A-Za-z+]+)?",
  USER: "%{USERNAME}",
  USERNAME: "[a-zA-Z0-9._-]+",
  UUID: "[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}",
  WINDOWSMAC: "(?:(?:[A-Fa-f0-9]{2}-){5}[A-Fa-f0-9]{2})",
  WINPATH: "([A-Za-z]:|\\\\)(?:\\\\[^\\\\?*]*)+",
  WORD: "\\b\\w+\\b",
  YEAR: "(\\d\\d){1,2}",
};

/** An invalid expression. */
class GrokError extends Error {}

/** The patterns that expressions can refer to, and which groups are captured. */
export interface GrokOptions {
  readonly definitions: Readonly<Record<string, string>>;
  readonly usesStandard: boolean;
  readonly namedOnly: boolean;
}

/** A compiled expression. It captures a path and a value for each named group. */
export interface GrokExpression {
  /** The names that may be captured, with the types of their values. */
  readonly fields: ReadonlyMap<string, "string" | "integer" | "number">;
  /**
   * Returns the values of the first match; `undefined` if there is none. Throws a `MappingError` if a value that must
   * be a number is not a number.
   */
  match(text: string, removesEmpty: boolean): readonly (readonly [name: string, value: Value])[] | undefined;
}

/** A pattern with its references replaced. */
interface Resolved {
  readonly source: string;
  /** The original names of groups whose names contain characters other than letters, digits and `_`. */
  readonly names: ReadonlyMap<string, string>;
  /** `int` or `float`, by the name of the group. */
  readonly hints: ReadonlyMap<string, string>;
}

const reference = /%\{([\w.-]+)(?::([\w.-]+)(?::([\w.-]+))?)?\}/g;
/** Matches an escape, or the beginning of a named group: `\(` begins none. */
const groupName = /\\.|\(\?P?<(\w+)>/gs;
/** The maximum length of a pattern: nested patterns can double its length at each step. */
const longestSource = 1_000_000;

/** Returns a function that compiles expressions. */
export function grokCompiler(options: GrokOptions): (text: string) => GrokExpression {
  const resolve = createResolver(options);
  return (text) => {
    const { source, names, hints } = resolve(text, []);
    const called: string[] = [];
    // A name may occur several times, but RE2 requires unique names.
    const unique = source.replace(groupName, (found, group?: string) => {
      if (group === undefined) return found;
      called.push(group);
      return `(?P<g${called.length - 1}>`;
    });
    const expression = compiled(unique);
    const groups = Object.entries(expression.namedGroups()).map(([key, index]) => {
      const group = called[Number(key.slice(1))] ?? key;
      return { index, name: names.get(group) ?? group, hint: hints.get(group) };
    });
    groups.sort((a, b) => a.index - b.index);
    return {
      fields: new Map(groups.map(({ name, hint }) => [name, typeOf(hint)])),
      match(content, removesEmpty) {
        const matcher = expression.matcher(content);
        if (!matcher.find()) return undefined;
        return groups.flatMap(({ index, name, hint }) => {
          const text = matcher.group(index) ?? "";
          return text === "" && removesEmpty ? [] : [[name, typedValue(text, hint)] as const];
        });
      },
    };
  };
}

function createResolver({ definitions, usesStandard, namedOnly }: GrokOptions) {
  const known = new Map<string, Resolved>();
  function find(name: string, within: readonly string[]): Resolved {
    const before = known.get(name);
    if (before !== undefined) return before;
    const standard =
      usesStandard && Object.hasOwn(standardPatterns, name) ? standardPatterns[name] : undefined;
    const text = standard ?? (Object.hasOwn(definitions, name) ? definitions[name] : undefined);
    if (text === undefined) throw new GrokError(`no pattern found for %{${name}}`);
    if (within.includes(name)) throw new GrokError(`the pattern \`${name}\` refers to itself`);
    const resolved = resolve(text, [...within, name]);
    known.set(name, resolved);
    return resolved;
  }
  function resolve(text: string, within: readonly string[]): Resolved {
    const names = new Map<string, string>();
    const hints = new Map<string, string>();
    const source = text.replace(reference, (_, name: string, alias?: string, hint?: string) => {
      const called = alias ?? name;
      const group = called.replace(/\W/g, "_");
      if (group !== called) names.set(group, called);
      if (hint !== undefined && hint !== "string") hints.set(group, hint);
      const inner = find(name, within);
      for (const [key, each] of inner.hints) if (!hints.has(key)) hints.set(key, each.toLowerCase());
      for (const [key, each] of inner.names) if (!names.has(key)) names.set(key, each);
      const isNamed = alias !== undefined || !namedOnly;
      return isNamed ? `(?P<${group}>${inner.source})` : `(${inner.source})`;
    });
    if (source.length > longestSource) throw new GrokError("the patterns make it too long");
    return { source, names, hints };
  }
  return resolve;
}

function compiled(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw new GrokError(error.message);
    throw error;
  }
}

function typeOf(hint: string | undefined): "string" | "integer" | "number" {
  return hint === "int" ? "integer" : hint === "float" ? "number" : "string";
}

function typedValue(text: string, hint: string | undefined): Value {
  if (hint === undefined) return text;
  if (hint === "int") {
    const whole = int64OfText(text);
    if (whole !== undefined) return whole;
  } else if (hint === "float") {
    const number = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text)
      ? Number(text)
      : Number.NaN;
    if (Number.isFinite(number)) return float(number);
  }
  throw new MappingError(`grok: a value is not ${hint}`);
}

/** Returns the captured values as an object. A name with dots is a path. */
export function objectOf(values: readonly (readonly [name: string, value: Value])[]): ObjectValue {
  const root = new Map<string, unknown>();
  for (const [name, value] of values) {
    const keys = name.split(".");
    const last = keys.pop() ?? "";
    let at: Map<string, unknown> | undefined = root;
    for (const key of keys) {
      const inner: unknown = at?.get(key) ?? new Map();
      at?.set(key, inner);
      at = inner instanceof Map ? inner : undefined;
    }
    at?.set(last, value);
  }
  return plain(root);
}

function plain(fields: ReadonlyMap<string, unknown>): ObjectValue {
  const entries = [...fields].map(([key, each]) => [key, each instanceof Map ? plain(each) : each]);
  return Object.fromEntries(entries);
}
