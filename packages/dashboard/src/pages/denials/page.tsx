/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'

export function DenialsPage() {
  const { name } = useProject()
  return <PageTitle title={text.frame.denials} intro={name} />
}
