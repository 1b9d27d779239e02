; Mappings in colour, by the names that Neovim and Helix share. What stands further below wins.

(comment) @comment

(identifier) @property
(variable) @variable
(metadata) @variable
(this) @variable.builtin
(root) @variable.builtin

(string) @string
(raw_string) @string
(escape) @string.escape
(number) @number
(boolean) @boolean
(null) @constant.builtin

(field_access name: (identifier) @property)
(field_access name: (string) @property)
(function_call name: (identifier) @function)
(method_call name: (identifier) @function.method)
(named_argument name: (identifier) @variable.parameter)
(lambda parameter: (identifier) @variable.parameter)
(entry key: (string) @property)
(map_definition name: (identifier) @function)
(let name: (identifier) @variable)
(meta_assignment key: (identifier) @variable)
(case pattern: (identifier) @constant.builtin (#eq? @constant.builtin "_"))

["import" "from"] @keyword.import
["map" "let" "meta"] @keyword
["if" "else" "match"] @keyword.conditional

["=" "==" "!=" ">" "<" ">=" "<=" "+" "-" "*" "/" "%" "|" "&&" "||" "!" "->" "=>"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":"] @punctuation.delimiter
