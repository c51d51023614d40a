/** Returns Node.js arguments that make a process report another version. */
export function asNode(version: string): readonly [string, string] {
  const program = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`]
}
