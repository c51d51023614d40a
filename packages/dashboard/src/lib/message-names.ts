/**
 * Message names that a project's scripts have handled before. The browser stores them, because the server
 * doesn't.
 */

const MOST = 20
const nameFor = (projectId: string) => `message-names.${projectId}`

/** Returns the names, most recent first. */
export function messageNames(projectId: string): readonly string[] {
  return localStorage.getItem(nameFor(projectId))?.split('\n') ?? []
}

/** A name contains no line breaks, so the list is stored with one name per line. */
export function keepMessageName(projectId: string, name: string): void {
  const others = messageNames(projectId).filter((other) => other !== name)
  localStorage.setItem(nameFor(projectId), [name, ...others].slice(0, MOST).join('\n'))
}
