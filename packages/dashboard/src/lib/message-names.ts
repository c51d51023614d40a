/**
 * Names of messages that scripts of a project have handled. They are stored in the browser, because the
 * server doesn't store them.
 */

const MOST = 20
const nameFor = (projectId: string) => `message-names.${projectId}`

/** Returns the names, latest first. */
export function messageNames(projectId: string): readonly string[] {
  return localStorage.getItem(nameFor(projectId))?.split('\n') ?? []
}

/** Names are single lines. */
export function keepMessageName(projectId: string, name: string): void {
  const others = messageNames(projectId).filter((other) => other !== name)
  localStorage.setItem(nameFor(projectId), [name, ...others].slice(0, MOST).join('\n'))
}
