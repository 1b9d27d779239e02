// Mistakes in names and calls inside mappings.

import { type Kind, lineAt, linesWith, replaced, slip } from "../mutation.ts";

export const calls: readonly Kind[] = [
  replaced(
    "method misspelt",
    /(?<=\.)(?:uppercase|lowercase|map_each|filter|length|trim|split|number|string|format|catch|join|contains|slice)(?=\()/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "method of another language",
    /(?<=\.)(?:uppercase|lowercase|map_each|trim|has_prefix|length)(?=\()/,
    ({ match }) => {
      const others: Readonly<Record<string, string>> = {
        uppercase: "toUpperCase",
        lowercase: "toLowerCase",
        map_each: "map_all",
        trim: "strip",
        has_prefix: "startsWith",
        length: "size",
      };
      return others[match[0]];
    },
  ),
  replaced(
    "function misspelt",
    /(?<=[= (])(?:now|uuid_v4|content|deleted|nothing|timestamp_unix|batch_index|counter|hostname|throw|meta|metadata|json)(?=\()/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "parentheses of a call forgotten",
    /(?<=\.)(uppercase|lowercase|trim|length|sum|keys|values|unique|round)\(\)/,
    ({ match }) => match[1],
  ),
  replaced(
    "parentheses of a function forgotten",
    /(?<=[= ({:] ?)(deleted|nothing|now|content|uuid_v4)\(\)/,
    ({ match }) => match[1],
  ),
  replaced(
    "one argument too many",
    /(?<=\.(?:uppercase|lowercase|trim|length|keys|values|sum)\()(?=\))/,
    () => "1",
  ),
  replaced(
    "argument missing",
    /(?<=\.(?:split|contains|has_prefix|parse_duration|join|re_match|map_each|filter|format_msgpack)\()(?:"[^"\n]*"|\w+ -> [^()\n]*)(?=\))/,
    ({ match, text }) =>
      /\.(?:join|parse_duration|format_msgpack)\($/.test(text.slice(0, match.index)) ? undefined : "",
  ),
  replaced(
    "argument of the wrong type",
    /(?<=\.(?:split|contains|has_prefix|trim_prefix|re_match|encode|hash)\()"[^"\n]*"(?=[,)])/,
    ({ match, text }) => (/\.contains\($/.test(text.slice(0, match.index)) ? undefined : "7"),
  ),
  replaced(
    "text for a number in an argument",
    /(?<=\.(?:slice|index|round|pow|repeat)\()-?\d+(?=[,)])/,
    ({ match }) => `"${match[0]}"`,
  ),
  replaced(
    "name of an argument misspelt",
    /(?<=\()(?:parse_header_row|cast|use_number|no_indent|min)(?=: )/,
    ({ match }) => slip(match[0]),
  ),
  replaced("algorithm misspelt", /(?<=\.(?:hash|encode|decode|compress)\(")[a-z0-9]+(?="[,)])/, ({ match }) =>
    slip(match[0]),
  ),
  replaced("pattern not closed", /(?<=\.re_\w+\("[^"\n]*)\)(?=[^)"\n]*")/, () => ""),
  replaced("variable misspelt", /(?<=[= ({[]\$)(?!ref\b|defs\b)\w+/, ({ match, text }) =>
    text.includes("sluice-ignore unset-variable") ? undefined : slip(match[0]),
  ),
  replaced(
    "variable that nobody reads",
    /^( +)(?=root\.\w+ = )/,
    ({ match }) => `${match[1]}let left_over = this\n${match[1]}`,
  ),
  replaced("map misspelt where it is applied", /(?<=\.apply\(")\w+(?="\))/, ({ match }) => slip(match[0])),
  replaced(
    "map misspelt where it is defined",
    /(?<=^ *map )\w+(?= \{)/,
    ({ match, text }) => ({
      text: slip(match[0]),
      lines: [lineAt(text, match.index), ...linesWith(text, new RegExp(`apply\\("${match[0]}"\\)`))],
    }),
    /\.yaml$/,
  ),
  replaced(
    "file of maps that is not there",
    /(?<=(?:import|from) "\.\/(?:mappings\/)?)\w+(?=\.blobl")/,
    ({ match }) => slip(match[0]),
    /\.(?:yaml|blobl)$/,
  ),
  replaced(
    "metadata of the input misspelt",
    /(?<=@|meta\("|metadata\(")(?:kafka_topic|kafka_partition|kafka_offset|nats_subject|mqtt_topic|mqtt_qos)\b/,
    ({ match }) => slip(match[0]),
  ),
  replaced(
    "metadata set before misspelt",
    /(?<=[= ]meta\("|@)(?:key|route|depot|plant|status|kind|format|tenant)\b(?="?\)?)/,
    ({ match, text }) => (new RegExp(`meta ${match[0]} = `).test(text) ? slip(match[0]) : undefined),
  ),
  replaced("verb of a format missing", /(?<="[^"\n]*)%[sv](?=[^"\n]*"\.format\()/, () => ""),
  replaced("`env` for an environment reference", /env\("(\w+)"\)/, ({ match }) => `"\${${match[1]}}"`),
  replaced("zone of time misspelt", /(?<=")Europe\/Berlin(?=")/, () => "Europe/Berln"),
];
