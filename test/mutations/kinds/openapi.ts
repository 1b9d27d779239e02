// Mistakes in the OpenAPI part of documents, and in the schemas of messages.

import { type Kind, linesWith, replaced, slip } from "../mutation.ts";

export const openapi: readonly Kind[] = [
  replaced("reference to a component that is not there", /(?<=\$ref"?: "[^"\n]*\/)\w+(?=")/, ({ match }) =>
    slip(match[0]),
  ),
  replaced(
    "reference to a file that is not there",
    /(?<=\$ref"?: "?)(?:\.\.\/)*[\w/-]+(?=\.(?:yaml|json))/,
    ({ match }) => slip(match[0]),
  ),
  replaced("version of OpenAPI that is not there", /(?<=^\{?\s*"?openapi"?: ?"?)3\.\d\.\d/, () => "3.4.0"),
  replaced("title missing", /(?<=^info: \{) ?title: [^,]*,/, () => ""),
  replaced("security scheme not described", /(?<=^security: \[\{ )\w+/, ({ match }) => slip(match[0])),
  replaced("type of a schema misspelt", /(?<=\btype"?: "?)(?:string|integer|number|boolean)\b/, ({ match }) =>
    slip(match[0]),
  ),
  replaced(
    // Reported wherever the field is read, because it is unknown there.
    "field missing in the schema",
    /(?<=required: \[)([a-z_]+)(?=[\],])([\s\S]*)/,
    ({ match }) => {
      const [whole, name, rest = ""] = match;
      const isRead = new RegExp(`\\b(?:this|line|item|reading|hit)\\.${name}\\b(?!\\.or|\\.catch| \\|)`);
      if (!isRead.test(whole)) return undefined;
      const text = `other${rest.replace(new RegExp(`\\b${name}(?=: \\{)`), "other")}`;
      return { text, lines: (changed) => linesWith(changed, isRead) };
    },
  ),
  replaced("extension misspelt", /^(\s*"?)x-(gw|tyk)-streaming(?="?:)/, ({ match }) =>
    match[0].replace("streaming", "streamnig"),
  ),
  replaced(
    "media type of a body misspelt",
    /(?<=^ +"?|content"?: \{ ?"?)(?:application\/json|text\/event-stream)(?="?: )/,
    ({ match }) => slip(match[0]),
  ),
  replaced("key of an operation misspelt", /\b(?:requestBody|responses)(?="?: )/, ({ match }) =>
    slip(match[0]),
  ),
  replaced("verb of an operation misspelt", /(?<=^ {4}"?)(?:post|get|put)(?="?:)/, ({ match }) =>
    slip(match[0]),
  ),
];
