/** Returns arguments for Node.js that make the process report this version. */
export function asNode(version: string): readonly [string, string] {
  const program = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`]
}
