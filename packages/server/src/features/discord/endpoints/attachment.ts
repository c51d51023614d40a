/** Files attached to a command. Discord stores them and includes their URLs in the interaction. */
import type { DiscordApi } from '../../../platform/discord/api.ts'
import type { AttachedFile } from '../../chat/command.ts'
import type { Interaction } from './read.ts'

type Attachment = { readonly filename: string; readonly size: number; readonly url: string }

export function findAttachment(
  api: DiscordApi,
  interaction: Interaction,
  id: string,
): AttachedFile | undefined {
  const { resolved } = (interaction.data ?? {}) as {
    readonly resolved?: { readonly attachments?: Readonly<Record<string, Attachment>> }
  }
  const found = resolved?.attachments?.[id]
  return found && { name: found.filename, size: found.size, read: () => api.download(found.url, found.size) }
}
