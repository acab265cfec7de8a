/** One wrong place in a file of the node's Lua. */
export interface PlantedFault {
  readonly file: string;
  /** Stands once in the file. */
  readonly right: string;
  readonly wrong: string;
}

export const plantedFaults: readonly PlantedFault[] = [
  { file: 'conditions.lua', right: '~= condition.negate', wrong: '== condition.negate' },
  { file: 'conditions.lua', right: 'for index = 2, #values do', wrong: 'for index = 3, #values do' },
  { file: 'text-search.lua', right: 'found > stop', wrong: 'found > #text' },
  {
    file: 'text-search.lua',
    right: "symbol == '?' and index.anywhere or",
    wrong: 'false and index.anywhere or',
  },
  { file: 'text-search.lua', right: 'return has(reached, index.length)', wrong: 'return true' },
  { file: 'evaluated-request.lua', right: 'place < #path and lower(', wrong: 'place < #path and (' },
  {
    file: 'evaluated-request.lua',
    right: "unicode.trim(equals and sub(part, equals + 1) or '')",
    wrong: "equals and sub(part, equals + 1) or ''",
  },
  {
    file: 'evaluated-request.lua',
    right: 'unicode.decode(text.stripped(values[index]))',
    wrong: 'text.stripped(values[index])',
  },
  {
    file: 'query-parameters.lua',
    right: "gsub(text, '\\\\+', ' ', 'jo')",
    wrong: "gsub(text, '\\\\+', '+', 'jo')",
  },
  { file: 'query-parameters.lua', right: "if parameter ~= '' then", wrong: 'if true then' },
  {
    file: 'condition-path.lua',
    right: "gsub(text, '/{2,}', '/', 'jo')",
    wrong: "gsub(text, '/{3,}', '/', 'jo')",
  },
  { file: 'condition-path.lua', right: '%2F|%5C)', wrong: '%2F)' },
  { file: 'canonical-url.lua', right: `"'<>\\x7f-\\xff`, wrong: `"<>\\x7f-\\xff` },
  { file: 'canonical-url.lua', right: 'is_sorted(parts) and search', wrong: 'true and search' },
  { file: 'unicode.lua', right: 'first == 0xe0 and 0xa0 or', wrong: 'first == 0xe0 and 0x80 or' },
  { file: 'outcome.lua', right: "mode == 'deny' and", wrong: "mode == 'deny' and false and" },
  {
    file: 'outcome.lua',
    right: 'cache_ttl_overrides_origin = cache_ttl ~= nil',
    wrong: 'cache_ttl_overrides_origin = false',
  },
  { file: 'conflicts.lua', right: "bypassCache = { 'edge cache' }", wrong: "bypassCache = { 'bypass' }" },
  { file: 'object-identity.lua', right: 'ignored ~= false or outcome.is_reduced', wrong: 'ignored ~= false' },
  {
    file: 'visitor-reply.lua',
    right: "header['Age'], header['Expires'], header['Pragma'] = nil, nil, nil",
    wrong: "header['Age'], header['Expires'] = nil, nil",
  },
];
