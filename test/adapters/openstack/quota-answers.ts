// The part of `services.suite.ts` about quotas of what is in networks.
import { type Like, neutronError, type Register } from './probe.ts';

export function quotas(test: Register): void {
  test('routers, ports, groups and rules count against their quotas', async ({ prefix, expect, make }) => {
    const project_id = `${prefix}project`;
    const limits = { router: 0, port: 1, security_group: 2, security_group_rule: 9 };
    await expect(`PUT /quotas/${project_id}`, { body: { quota: limits } }, 200, { quota: limits });
    try {
      const over = (what: string): Like => neutronError('OverQuota', `Quota exceeded for resources: ['${what}'].`);
      await expect('POST /routers', { body: { router: { project_id } } }, 409, over('router'));
      const network_id = String((await make('networks', { name: `${prefix}network`, project_id }))['id']);
      const port = { network_id, project_id, fixed_ips: [] };
      await make('ports', port);
      await expect('POST /ports', { body: { port } }, 409, over('port'));
      // The default group counts, and so do the rules that groups come with.
      const group = await make('security-groups', { name: `${prefix}group`, project_id });
      const security_group = { name: `${prefix}group`, project_id };
      await expect('POST /security-groups', { body: { security_group } }, 409, over('security_group'));
      const rule = { security_group_id: String(group['id']), project_id, direction: 'ingress', protocol: 'tcp' };
      const rules = [1, 2, 3, 4].map((n) => ({ ...rule, port_range_min: n, port_range_max: n }));
      const post = async (count: number, status: number, like: Like): Promise<void> => {
        const security_group_rules = rules.slice(0, count);
        await expect('POST /security-group-rules', { body: { security_group_rules } }, status, like);
      };
      await post(4, 409, over('security_group_rule'));
      await post(3, 201, {});
    } finally {
      await expect(`DELETE /quotas/${project_id}`, {}, 204, {});
    }
  });
}
