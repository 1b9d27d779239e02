// Checks the templates of a `template` processor when a gateway is built, and finds the functions that they call.

import type { Inspected, WrittenOptions } from "../inspection.ts";
import { builtins } from "./builtins.ts";
import { compileTemplates } from "./compile.ts";
import { parseTemplate } from "./parser.ts";
import { mainTemplate, treesOf } from "./set.ts";
import type { TemplateProblem } from "./state.ts";
import { TemplateSyntaxError, type TemplateText, type TemplateTree } from "./syntax.ts";
import type { TemplateFunction } from "./values.ts";

/** Returns the problems in the templates of a `template` processor, and the functions of the library that they call. */
export function inspectTemplate(options: WrittenOptions): Inspected {
  const { text, sub_templates: others, functions } = options;
  if (typeof text !== "string") return { problems: [] };
  const problems: TemplateProblem[] = [];
  const links = new Map<string, LibraryFunction>();
  const own = new Set(Object.keys(asObject(functions)));
  const names = [...builtins.keys(), ...libraryNames, ...own, "meta"];
  function find(name: string, place: { readonly start: number; readonly end: number }, from: TemplateText) {
    if (own.has(name) || name === "meta") return known(name === "meta" ? "string" : "any");
    const builtin = builtins.get(name);
    // `slice` of the library replaces the one of the language, as in the reference engine.
    if (builtin !== undefined) return builtin;
    const found = libraryFunction(name);
    if (found !== undefined) {
      links.set(name, found);
      return known(found.takes);
    }
    const refused = refusedFunctions.get(name);
    problems.push({
      from,
      start: place.start,
      end: place.end,
      message:
        refused === undefined
          ? `function \`${name}\` does not exist`
          : `\`${name}\` is not available: ${refused.why}`,
      ...(refused?.hint !== undefined && { hint: refused.hint }),
      ...(refused === undefined && { unknown: { name, among: names } }),
    });
    return undefined;
  }
  function parse(from: TemplateText): readonly TemplateTree[] {
    try {
      return parseTemplate(from);
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      const { message, start, end } = error;
      problems.push({ from, message, start, end });
      return [];
    }
  }
  const written = Object.entries(asObject(others)).flatMap(([name, each]) => {
    const inner = asObject(each).text;
    return typeof inner === "string" ? [[name, { text: inner }] as const] : [];
  });
  const trees = treesOf(text, Object.fromEntries(written), parse);
  // Without all templates, those that call others would be reported as well.
  if (problems.length === 0)
    compileTemplates({ trees, find, report: (problem) => problems.push(problem) }, mainTemplate);
  return {
    problems: [
      ...[...own].flatMap((name) => nameProblems(name)),
      ...problems.map(({ from, message, hint, start, end, unknown }) => ({
        field: from.name === mainTemplate ? "text" : `sub_templates.${from.name}.text`,
        message,
        place: { start, end },
        ...(hint !== undefined && { hint }),
        ...(unknown !== undefined && { unknown }),
      })),
    ],
    links: Object.fromEntries(links),
  };
}

function known(takes: string): TemplateFunction {
  return { takes, call: () => undefined };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Returns why a mapping cannot have the name of a function. */
function nameProblems(name: string): readonly { readonly field: string; readonly message: string }[] {
  const field = `functions.${name}`;
  const isTaken = builtins.has(name) || libraryFunction(name) !== undefined || refusedFunctions.has(name);
  if (isTaken)
    return [{ field, message: `\`${name}\` is a function of all templates, and cannot be replaced` }];
  if (name === "meta") return [{ field, message: "`meta` reads metadata, and cannot be replaced" }];
  if (reserved.has(name)) return [{ field, message: `\`${name}\` is a word of the language` }];
  if (/^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(name)) return [];
  return [{ field, message: "a name of a function consists of letters, digits and underscores" }];
}

const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"],
  ...["nil", "true", "false"],
]);

// The functions of Sprig: where each one is, and what it takes. Gateways only contain those that their templates call, so
// this table is not part of them.

/** The function of the runtime for a name in templates. */
interface LibraryFunction {
  readonly module: string;
  readonly symbol: string;
  /** Its parameters, as in `TemplateFunction`. */
  readonly takes: string;
}

/** Names in templates, with the exported name if it differs, and the parameters. */
type Row = readonly [names: string, takes: string];

const rows: Readonly<Record<string, readonly Row[]>> = {
  texts: [
    ["abbrev", "int string"],
    ["abbrevboth:abbrevBoth", "int int string"],
    ["trunc", "int string"],
    ["trim", "string"],
    ["upper", "string"],
    ["lower", "string"],
    ["title", "string"],
    ["untitle", "string"],
    ["substr", "int int string"],
    ["repeat", "int string"],
    ["trimAll trimall:trimAll", "string string"],
    ["trimSuffix", "string string"],
    ["trimPrefix", "string string"],
    ["nospace", "string"],
    ["initials", "string"],
    ["swapcase", "string"],
    ["wrap", "int string"],
    ["wrapWith", "int string string"],
    ["contains", "string string"],
    ["hasPrefix", "string string"],
    ["hasSuffix", "string string"],
    ["quote", "any..."],
    ["squote", "any..."],
    ["cat", "any..."],
    ["indent", "int string"],
    ["nindent", "int string"],
    ["replace", "string string string"],
    ["plural", "string string int"],
    ["toString:textOf", "any"],
    ["split", "string string"],
    ["splitn", "string int string"],
    ["splitList", "string string"],
    ["toStrings", "any"],
    ["join", "string any"],
    ["sortAlpha", "any"],
    ["hello", ""],
  ],
  words: [
    ["snakecase", "string"],
    ["camelcase", "string"],
    ["kebabcase", "string"],
  ],
  numbers: [
    ["atoi", "string"],
    ["int64:toInt64", "any"],
    ["int:toInt", "any"],
    ["float64:toFloat64", "any"],
    ["toDecimal", "any"],
    ["until", "int"],
    ["untilStep", "int int int"],
    ["seq", "int..."],
    ["add1:addOne", "any"],
    ["add", "any..."],
    ["sub", "any any"],
    ["mul", "any any..."],
    ["div", "any any"],
    ["mod", "any any"],
    ["max biggest:max", "any any..."],
    ["min", "any any..."],
    ["maxf:maxFloat", "any any..."],
    ["minf:minFloat", "any any..."],
    ["ceil", "any"],
    ["floor", "any"],
    ["round", "any int float64..."],
    ["add1f:addOneFloat", "any"],
    ["addf:addFloat", "any..."],
    ["subf:subFloat", "any any..."],
    ["mulf:mulFloat", "any any..."],
    ["divf:divFloat", "any any..."],
  ],
  lists: [
    ["list tuple:list", "any..."],
    ["append push mustAppend mustPush:append", "any any"],
    ["prepend mustPrepend:prepend", "any any"],
    ["first mustFirst:first", "any"],
    ["last mustLast:last", "any"],
    ["rest mustRest:rest", "any"],
    ["initial mustInitial:initial", "any"],
    ["reverse mustReverse:reverse", "any"],
    ["uniq mustUniq:uniq", "any"],
    ["without mustWithout:without", "any any..."],
    ["has mustHas:has", "any any"],
    ["compact mustCompact:compact", "any"],
    ["slice mustSlice:slice", "any any..."],
    ["concat", "any..."],
    ["chunk mustChunk:chunk", "int any"],
  ],
  dicts: [
    ["dict", "any..."],
    ["get", "dict string"],
    ["set", "dict string any"],
    ["unset", "dict string"],
    ["hasKey", "dict string"],
    ["pluck", "string dict..."],
    ["keys", "dict..."],
    ["values", "dict"],
    ["pick", "dict string..."],
    ["omit", "dict string..."],
    ["merge mustMerge:merge", "dict dict..."],
    ["mergeOverwrite mustMergeOverwrite:mergeOverwrite", "dict dict..."],
    ["dig", "any..."],
    ["deepCopy mustDeepCopy:deepCopy", "any"],
  ],
  defaults: [
    ["default:defaultTo", "any any..."],
    ["empty", "any"],
    ["coalesce", "any..."],
    ["all", "any..."],
    ["any", "any..."],
    ["ternary", "any any bool"],
    ["fail", "string"],
    ["typeOf", "any"],
    ["typeIs", "string any"],
    ["typeIsLike", "string any"],
    ["kindOf", "any"],
    ["kindIs", "string any"],
    ["deepEqual", "any any"],
    ["fromJson", "string"],
    ["mustFromJson", "string"],
    ["toJson", "any"],
    ["mustToJson", "any"],
    ["toPrettyJson", "any"],
    ["mustToPrettyJson", "any"],
    ["toRawJson mustToRawJson:toRawJson", "any"],
  ],
  dates: [
    ["now", ""],
    ["date", "string any"],
    ["dateInZone date_in_zone:dateInZone", "string any string"],
    ["htmlDate", "any"],
    ["htmlDateInZone", "any string"],
    ["dateModify date_modify:dateModify", "string time"],
    ["mustDateModify must_date_modify:mustDateModify", "string time"],
    ["toDate", "string string"],
    ["mustToDate", "string string"],
    ["unixEpoch", "time"],
    ["ago", "any"],
    ["duration", "any"],
    ["durationRound", "any"],
  ],
  encodings: [
    ["b64enc:base64Encode", "string"],
    ["b64dec:base64Decode", "string"],
    ["b32enc:base32Encode", "string"],
    ["b32dec:base32Decode", "string"],
    ["sha1sum:sha1Sum", "string"],
    ["sha256sum:sha256Sum", "string"],
    ["sha512sum:sha512Sum", "string"],
    ["adler32sum:adler32Sum", "string"],
    ["encryptAES:encryptAes", "string string"],
    ["decryptAES:decryptAes", "string string"],
  ],
  random: [
    ["randInt", "int int"],
    ["randAlphaNum", "int"],
    ["randAlpha", "int"],
    ["randAscii", "int"],
    ["randNumeric", "int"],
    ["randBytes", "int"],
    ["uuidv4:uuidV4", ""],
    ["shuffle", "string"],
  ],
  patterns: [
    ["regexMatch", "string string"],
    ["mustRegexMatch", "string string"],
    ["regexFindAll mustRegexFindAll:regexFindAll", "string string int"],
    ["regexFind mustRegexFind:regexFind", "string string"],
    ["regexReplaceAll mustRegexReplaceAll:regexReplaceAll", "string string string"],
    ["regexReplaceAllLiteral mustRegexReplaceAllLiteral:regexReplaceAllLiteral", "string string string"],
    ["regexSplit mustRegexSplit:regexSplit", "string string int"],
    ["regexQuoteMeta", "string"],
  ],
  versions: [
    ["semver", "string"],
    ["semverCompare", "string string"],
  ],
  urls: [
    ["urlParse", "string"],
    ["urlJoin", "dict"],
    ["base osBase:base", "string"],
    ["dir osDir:dir", "string"],
    ["clean osClean:clean", "string"],
    ["ext osExt:ext", "string"],
    ["isAbs osIsAbs:isAbs", "string"],
  ],
};

/** Returns the function with a name; `undefined` if the library has none. */
function libraryFunction(name: string): LibraryFunction | undefined {
  return library.get(name);
}

const library: ReadonlyMap<string, LibraryFunction> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(rows).flatMap(([module, functions]) =>
    functions.flatMap(([spelled, takes]) => {
      const [names = "", symbol = names] = spelled.split(":");
      const found = { module: `runtime/processors/template/${module}.ts`, symbol, takes };
      return names.split(" ").map((name) => [name, found] as const);
    }),
  ),
);

/** The names of the functions, in their order. */
export const libraryNames: readonly string[] = /* @__PURE__ */ [.../* @__PURE__ */ library.keys()].sort();

const keys = "it creates keys or certificates, which takes long and belongs to the set-up of a service";
const slow = "it takes long on purpose, and would hold up all other messages meanwhile";
const environment = "templates cannot read the environment, whose secrets would get into messages";

/** Why functions of Sprig are not available, and what to do instead. */
const refusedFunctions: ReadonlyMap<string, { readonly why: string; readonly hint?: string }> =
  /* @__PURE__ */ new Map([
    ["env", { why: environment, hint: "Set metadata with `env()` in a `mapping`, and read it with `meta`." }],
    [
      "expandenv",
      { why: environment, hint: "Set metadata with `env()` in a `mapping`, and read it with `meta`." },
    ],
    [
      "getHostByName",
      { why: "templates cannot use the network", hint: "Call a service with the processor `http`." },
    ],
    ["bcrypt", { why: slow }],
    ["htpasswd", { why: slow }],
    ["derivePassword", { why: slow }],
    ...["genPrivateKey", "buildCustomCert", "genCA", "genCAWithKey", "genSelfSignedCert"].map(
      (name) => [name, { why: keys }] as const,
    ),
    ...["genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey"].map(
      (name) => [name, { why: keys }] as const,
    ),
  ]);
