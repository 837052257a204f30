# The allow-list of tools: what it does not name is refused.
package ap.routing

refusal contains {
	"code": "TOOL_NOT_ALLOWED",
	"text": "This tool is not one that an agent may use here.",
} if {
	not tool_allowed
}

tool_allowed if input.tool in data.ap.data.tools
