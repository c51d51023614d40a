/** The URL of the page where a customer sees their key. */
import type { Config } from '../../config/config.ts'

/** The URL names the project because a key of another project may be identical. */
export function ownPageAddress(config: Config, projectId: string): string {
  return `${config.baseUrl ?? `http://${config.host}:${config.port}`}/me?project=${projectId}`
}
