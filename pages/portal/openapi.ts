// Reads OpenAPI documents.

import type { DocumentedBody, DocumentedOperation, DocumentedParameter } from "./documented.ts";
import { t } from "./messages.ts";
import { type Part, partOf, partsOf, resolvePart, sampleOf, textOf, typeOf } from "./schemas.ts";
import { keyPlacesOf } from "./security.ts";

const verbs = ["get", "post", "put", "patch", "delete", "head", "options"];

/** Returns the operations of an OpenAPI document, in its order. */
export function readPaths(root: Part): readonly DocumentedOperation[] {
  return Object.entries(partOf(root.paths)).flatMap(([path, item]) => {
    const shared = partsOf(partOf(item).parameters);
    return verbs.flatMap((verb) => {
      const operation = partOf(item)[verb];
      if (operation === undefined) return [];
      const own = partOf(operation);
      const body = resolvePart(root, own.requestBody);
      const sent = bodyOf(t("docs.request"), body);
      const answers = Object.entries(partOf(own.responses)).map(([status, response]) => {
        const answer = resolvePart(root, response);
        return bodyOf(`${status} ${textOf(answer.description)}`.trim(), answer);
      });
      const isStream = answers.some(({ type }) => type === "text/event-stream");
      return [
        {
          verb: verb.toUpperCase(),
          method: verb.toUpperCase(),
          path,
          summary: textOf(own.summary),
          description: textOf(own.description),
          parameters: [...shared, ...partsOf(own.parameters)].map((each) =>
            readParameter(resolvePart(root, each)),
          ),
          bodies: [...(sent.schema === undefined ? [] : [sent]), ...answers],
          sample: sampleText(root, body, sent),
          keys: keyPlacesOf(root, own.security ?? root.security),
          transports: isStream ? ["events", "http", "websocket"] : ["http", "events", "websocket"],
        },
      ];
    });
  });
}

/** Reads a parameter. Parameters of AsyncAPI have no schema. */
export function readParameter(parameter: Part): DocumentedParameter {
  const isTyped = parameter.schema !== undefined;
  return {
    name: textOf(parameter.name),
    place: textOf(parameter.in),
    isRequired: parameter.required === true,
    description: textOf(parameter.description),
    type: isTyped ? typeOf(partOf(parameter.schema)) : typeOf({ type: "string", ...parameter }),
  };
}

/** Returns the author's example of a body, or a sample generated from its schema. */
function sampleText(root: Part, holder: Part, { schema }: DocumentedBody): string {
  const [first] = Object.values(partOf(holder.content));
  const { example, examples } = partOf(first);
  const [named] = Object.values(partOf(examples)).map((each) => resolvePart(root, each).value);
  const sample = example ?? named ?? (schema === undefined ? undefined : sampleOf(root, schema));
  if (sample === undefined) return "";
  return typeof sample === "string" ? sample : JSON.stringify(sample, undefined, 2);
}

/** Reads the first media type of a body. Swagger 2.0 has the schema in its place. */
function bodyOf(title: string, holder: Part): DocumentedBody {
  const [first] = Object.entries(partOf(holder.content));
  const [type = "", media] = first ?? [];
  return { title, summary: "", type, schema: partOf(media).schema ?? holder.schema };
}
