/** The template for messages to buyers. Authors can edit it, and the browser stores it. */
import { text } from '../../messages/text.ts'
import { endWords, type User } from './user.ts'

const PLACE = /\{(key|loader|expires|page)\}/g
const nameFor = (projectId: string) => `message.${projectId}`

export function readTemplate(projectId: string): string {
  return localStorage.getItem(nameFor(projectId)) ?? text.users.template
}

/** An empty template restores the default. */
export function keepTemplate(projectId: string, template: string): void {
  if (template.trim() === '' || template === text.users.template) localStorage.removeItem(nameFor(projectId))
  else localStorage.setItem(nameFor(projectId), template)
}

export function messageFor(template: string, user: User, loader: string): string {
  const places: Readonly<Record<string, string>> = {
    key: user.key,
    loader,
    expires: endWords(user),
    page: ownPage(user.project_id),
  }
  return template.replace(PLACE, (_, name: string) => places[name] ?? '')
}

/** URL of the page where customers see their key, reset their device and end their sessions. */
export function ownPage(projectId: string): string {
  return `${location.origin}/me?project=${projectId}`
}
