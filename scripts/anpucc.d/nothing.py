# SPDX-License-Identifier: MIT
"""Options of the vendor's compiler that anpucc and bisheng take, and that change no result here."""
import re

# They are about things that this AI core does not have or always does: where the stack lies, how jumps are encoded, which
# barriers the compiler inserts, what it reports.
NOTHING = re.compile(r"--?(api-deps-filter|disable-machine-licm|cce-(auto-sync|aicore-(function-)?stack-size|aicore-record-overflow|aicore-addr-transform|"
                     r"aicore-jump-expand|aicore-dcci-\w[\w-]*|aicore-block-local-init|aicore-fp-ceiling|"
                     r"disable-kernel-global-attr-check|fatobj-link|no-dcache-flush|enable-sanitizer|"
                     r"aicore-input-parameter-size|aicore-enable-ub-alignment|auto-sync-log|aicore-hoist-movemask|long-call|"
                     r"vf-remove-membar|enable-print|res-usage))(=.*)?$")
