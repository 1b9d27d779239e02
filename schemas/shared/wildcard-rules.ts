import type { OptionProblem, OptionRule } from "../component.ts";

/** A part of a name that is a wildcard of another broker, and what this one has instead. */
interface ForeignWildcard {
  readonly pattern: RegExp;
  readonly message: string;
  readonly hint: string;
}

/** In topics of MQTT: NATS has `*` and `>`. */
const inTopics: ForeignWildcard = {
  pattern: /(?:^|[/,])\s*[*>](?=\s*(?:[/,]|$))/,
  message: "`*` and `>` are not wildcards of MQTT, so that this matches only topics with that character.",
  hint: "Write `+` for one level, or `#` for all levels that follow.",
};

/** In subjects of NATS: MQTT and AMQP have `#`, and MQTT has `+`. */
const inSubjects: ForeignWildcard = {
  pattern: /(?:^|[./])[#+](?=[./]|$)/,
  message: "`#` and `+` are not wildcards of NATS, so that this matches only subjects with that character.",
  hint: "Write `*` for one token, or `>` for all tokens that follow. Dots separate tokens.",
};

function advice(field: string, { pattern, message, hint }: ForeignWildcard): OptionRule {
  return (options): readonly OptionProblem[] =>
    options.texts(field).some((text) => text !== undefined && pattern.test(text))
      ? [{ field, message, hint, severity: "warning" }]
      : [];
}

/** Topics that an MQTT client subscribes to. */
export const topicWildcards: OptionRule = advice("topics", inTopics);

/** The subject that a NATS client subscribes to. */
export const subjectWildcards: OptionRule = advice("subject", inSubjects);
