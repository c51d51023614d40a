export function withOrWithout(chosen: ReadonlySet<string>, keys: readonly string[], isTicked: boolean) {
  const rest = new Set(chosen)
  for (const key of keys) isTicked ? rest.add(key) : rest.delete(key)
  return rest
}
