/** Makes a process believe that it runs on another version of Node.js. Returns arguments for Node. */
export function asNode(version: string): readonly [string, string] {
  const program = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`]
}
