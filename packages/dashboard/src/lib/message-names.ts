/** Names of messages that scripts of a project have handled. The server doesn't know them, so the browser keeps them. */

const MOST = 20
const nameFor = (projectId: string) => `message-names.${projectId}`

/** The latest name first. */
export function messageNames(projectId: string): readonly string[] {
  return localStorage.getItem(nameFor(projectId))?.split('\n') ?? []
}

/** Names are single lines. */
export function keepMessageName(projectId: string, name: string): void {
  const others = messageNames(projectId).filter((other) => other !== name)
  localStorage.setItem(nameFor(projectId), [name, ...others].slice(0, MOST).join('\n'))
}
