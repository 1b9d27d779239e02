/** A stream with a mistake in its mapping, which suites edit in real editors. */
export const editedStream = `input:
  generate: { mapping: "root.id = 1", count: 1 }
pipeline:
  processors:
    - mapping: |
        let name = "😀 one".uper()
        root.name =   $name.uppercase()
output:
  drop: {}
`;

/** Returns a stream between endpoints with a mapping in a block, and more text behind its processors. */
export const streamWith = (mapping: string, more = "") => `input:
  http_server: { path: /in }
pipeline:
  processors:
    - mapping: |
        ${mapping}
${more}output:
  http_server: { stream_path: /out }
`;
