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
