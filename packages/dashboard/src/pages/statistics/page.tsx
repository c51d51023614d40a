/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'

export function StatisticsPage() {
  const { name } = useProject()
  return <PageTitle title={text.frame.statistics} intro={name} />
}
