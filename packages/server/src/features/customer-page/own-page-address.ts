/** The address of the page on which a user sees their key. */
import type { Config } from '../../config/config.ts'

/** Names the project, since the same key may be one of another project too. */
export function ownPageAddress(config: Config, projectId: string): string {
  return `${config.baseUrl ?? `http://${config.host}:${config.port}`}/me?project=${projectId}`
}
