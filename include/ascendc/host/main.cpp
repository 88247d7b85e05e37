// SPDX-License-Identifier: MIT
/*
 * The program that ascendc-op links with the sources of op_host: it defines an operator by its class, gives its functions the tensors and
 * attributes of the command line, and prints what they decide as JSON.
 *
 * usage: program OPERATOR CORES [any-type] [soc:NAME] [in:NAME:TYPE:FORMAT:DIMS:FILE | out:NAME:TYPE:FORMAT:DIMS: | attr:NAME:VALUE]...
 * TYPE is a number of ge::DataType; DIMS are numbers with commas; FILE may be missing. An output may have no DIMS.
 */
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "opdef.h"

namespace {

[[noreturn]] void fail(const std::string &text)
{
	fprintf(stderr, "ascendc-op: error: %s\n", text.c_str());
	exit(1);
}

std::vector<std::string> split(const std::string &text, char by, size_t most)
{
	std::vector<std::string> parts;
	size_t at = 0, next;

	while (parts.size() + 1 < most && (next = text.find(by, at)) != std::string::npos) {
		parts.push_back(text.substr(at, next - at));
		at = next + 1;
	}
	parts.push_back(text.substr(at));
	return parts;
}

std::vector<int64_t> numbers(const std::string &text)
{
	std::vector<int64_t> all;

	if (!text.empty())
		for (const std::string &part : split(text, ',', SIZE_MAX))
			all.push_back(strtoll(part.c_str(), nullptr, 0));
	return all;
}

struct Given {
	std::string name;
	gert::Tensor tensor;
	bool shaped;
};

Given parse_tensor(const std::vector<std::string> &parts)
{
	Given given = {parts[1], {}, !parts[4].empty() && parts[4] != "?"};

	given.tensor.desc.type = static_cast<ge::DataType>(atoi(parts[2].c_str()));
	given.tensor.desc.format = static_cast<ge::Format>(atoi(parts[3].c_str()));
	given.tensor.shape = gert::StorageShape(gert::Shape(given.shaped ? numbers(parts[4]) : std::vector<int64_t>()));
	if (parts.size() > 5 && !parts[5].empty()) {
		std::ifstream file(parts[5], std::ios::binary);

		given.tensor.data.assign(std::istreambuf_iterator<char>(file), {});
	}
	return given;
}

void set_attribute(gert::Attribute &value, const std::string &text)
{
	value.given = true;
	switch (value.kind) {
	case gert::Attribute::INT: value.integer = strtoll(text.c_str(), nullptr, 0); break;
	case gert::Attribute::FLOAT: value.number = strtof(text.c_str(), nullptr); break;
	case gert::Attribute::BOOL: value.truth = text == "true" || text == "1"; break;
	case gert::Attribute::STRING: value.text = text; break;
	case gert::Attribute::INTS: value.integers = numbers(text); break;
	case gert::Attribute::FLOATS:
		value.numbers.clear();
		for (const std::string &part : split(text, ',', SIZE_MAX))
			value.numbers.push_back(strtof(part.c_str(), nullptr));
	}
}

/* The tensors of each parameter in the order of the definition */
void place(const std::vector<std::unique_ptr<ops::OpParamDef>> &params, std::vector<Given> &given, bool needed,
	   std::vector<gert::Tensor> &tensors, std::vector<gert::OneOperator::Slot> &slots, std::vector<bool> *shaped = nullptr,
	   std::vector<bool> *typed = nullptr)
{
	for (const auto &param : params) {
		gert::OneOperator::Slot slot = {tensors.size(), 0};

		for (Given &one : given) {
			if (one.name != param->name)
				continue;
			tensors.push_back(one.tensor);
			if (shaped)
				shaped->push_back(one.shaped);
			if (typed)
				typed->push_back(true);
			slot.count++;
		}
		if (!slot.count && !needed) {
			gert::Tensor unknown;

			unknown.desc.type = param->types.empty() ? ge::DT_FLOAT : param->types[0];
			tensors.push_back(unknown);
			shaped->push_back(false);
			typed->push_back(false);
			slot.count = 1;
		} else if (!slot.count && param->option == ops::REQUIRED) {
			fail("input '" + param->name + "' of the operator is not given; say " + param->name + "=TYPE[DIMS]=SOURCE");
		}
		slot.absent = !slot.count && param->option == ops::OPTIONAL;
		slots.push_back(slot);
	}
	for (const Given &one : given) {
		bool known = false;

		for (const auto &param : params)
			known |= param->name == one.name;
		if (!known)
			fail("the operator has no " + std::string(needed ? "input" : "output") + " '" + one.name + "'");
	}
}

/* A parameter of the definition, or what the configuration of a chip says of it instead */
const ops::OpParamDef &stated(const ops::OpParamDef &param, const std::map<std::string, ops::OpParamDef> *instead)
{
	if (instead && instead->count(param.name) && !instead->at(param.name).types.empty())
		return instead->at(param.name);
	return param;
}

/* Whether a parameter may have a type in the combination with number at */
bool may_have(const ops::OpParamDef &param, ge::DataType type, size_t at)
{
	if (param.types.empty() || !param.follows.empty())
		return true;
	if (param.alone || param.types.size() == 1)
		return std::count(param.types.begin(), param.types.end(), type) > 0;
	return at < param.types.size() && param.types[at] == type;
}

/* Whether the tensors that are given have the types of the combination with number at; outputs that are not given take theirs from it. */
bool combination(ops::OpDef &def, const ops::OpAICoreConfig *config, gert::OneOperator &op, const std::vector<bool> &given, size_t at)
{
	for (size_t i = 0; i < def.inputs.size(); i++) {
		const ops::OpParamDef &param = stated(*def.inputs[i], config ? &config->inputs : nullptr);

		for (size_t j = 0; j < op.in_slots[i].count; j++)
			if (!may_have(param, op.inputs[op.in_slots[i].begin + j].desc.type, at))
				return false;
	}
	for (size_t i = 0; i < def.outputs.size(); i++)
		for (size_t j = op.out_slots[i].begin; j < op.out_slots[i].begin + op.out_slots[i].count; j++)
			if (given[j] && !may_have(stated(*def.outputs[i], config ? &config->outputs : nullptr), op.outputs[j].desc.type, at))
				return false;
	for (size_t i = 0; i < def.outputs.size(); i++) {
		const ops::OpParamDef &param = stated(*def.outputs[i], config ? &config->outputs : nullptr);

		for (size_t j = op.out_slots[i].begin; j < op.out_slots[i].begin + op.out_slots[i].count; j++)
			if (!given[j] && at < param.types.size() && !param.alone)
				op.outputs[j].desc.type = param.types[at];
	}
	return true;
}

/* The number of combinations of types that a definition has */
size_t combinations(const ops::OpDef &def, const ops::OpAICoreConfig *config)
{
	size_t most = 1;

	for (const auto &param : def.inputs)
		most = std::max(most, stated(*param, config ? &config->inputs : nullptr).types.size());
	for (const auto &param : def.outputs)
		most = std::max(most, stated(*param, config ? &config->outputs : nullptr).types.size());
	return most;
}

std::string types_of(const ops::OpParamDef &param, const gert::OneOperator::Slot &slot, const std::vector<gert::Tensor> &tensors)
{
	std::string text = " " + param.name + "=";

	for (ge::DataType type : param.types)
		text += (text.back() == '=' ? "" : ",") + ge::TypeUtils::DataTypeToSerialString(type);
	return text + (slot.count ? " (given: " + ge::TypeUtils::DataTypeToSerialString(tensors[slot.begin].desc.type) + ")" : "");
}

/* Ends with a sentence if the definition has no combination of types like that of the tensors */
void check_types(ops::OpDef &def, gert::OneOperator &op, const std::vector<bool> &given)
{
	std::vector<const ops::OpAICoreConfig *> configs = {nullptr};
	std::string text;

	for (const ops::OpAICoreConfig &config : def.ai_core.configs)
		configs.push_back(&config);
	for (const ops::OpAICoreConfig *config : configs)
		for (size_t at = 0; at < combinations(def, config); at++)
			if (combination(def, config, op, given, at))
				return;
	for (size_t i = 0; i < def.inputs.size(); i++)
		text += types_of(*def.inputs[i], op.in_slots[i], op.inputs);
	for (size_t i = 0; i < def.outputs.size(); i++)
		text += types_of(*def.outputs[i], given[op.out_slots[i].begin] ? op.out_slots[i] : gert::OneOperator::Slot{0, 0}, op.outputs);
	fail("the operator's definition has no such combination of types (those at the same place in the lists go together; --any-type tries it "
	     "all the same):" + text);
}

/* A member for JSON: the value that InitValue() gives an output of this type; the last number of a list is that of all types behind it */
std::string json_initial(const ops::OpParamDef &param, const gert::Tensor *tensor)
{
	size_t at = 0;
	std::ostringstream out;

	if (param.initial.empty())
		return "";
	if (tensor)
		at = std::find(param.types.begin(), param.types.end(), tensor->desc.type) - param.types.begin();
	at = std::min(at, param.initial.size() - 1);
	out.precision(17);
	out << ", \"init\": \"" << param.initial[at].value << "\"";
	return out.str();
}

std::string json_tensor(const ops::OpParamDef &param, const gert::Tensor *tensor)
{
	std::ostringstream out;

	out << "{\"name\": \"" << param.name << "\", \"given\": " << (tensor ? "true" : "false") << ", \"type\": "
	    << (tensor ? tensor->desc.type : param.types.empty() ? 0 : param.types[0]) << ", \"dims\": [";
	for (size_t i = 0; tensor && i < tensor->GetOriginShape().GetDimNum(); i++)
		out << (i ? ", " : "") << tensor->GetOriginShape().GetDim(i);
	out << "]" << (param.option == ops::DYNAMIC ? ", \"list\": true" : "") << json_initial(param, tensor) << "}";
	return out.str();
}

std::string json_list(const std::vector<std::unique_ptr<ops::OpParamDef>> &params, const std::vector<gert::OneOperator::Slot> &slots,
		      const std::vector<gert::Tensor> &tensors)
{
	std::string text = "[";

	for (size_t i = 0; i < params.size(); i++)
		for (size_t j = 0; j < (slots[i].count ? slots[i].count : 1); j++)
			text += (text.size() > 1 ? ", " : "") + json_tensor(*params[i], slots[i].count ? &tensors[slots[i].begin + j] : nullptr);
	return text + "]";
}

void infer(ops::OpDef &def, const ops::Implementation &more, gert::OneOperator &op, const std::vector<bool> &shaped)
{
	ops::ShapeFunction shapes = def.infer_shape ? def.infer_shape : more.infer_shape;
	ops::TypeFunction types = def.infer_type ? def.infer_type : more.infer_type;

	op.out_shapes.resize(op.outputs.size());
	for (size_t i = 0; i < op.outputs.size(); i++)
		op.out_shapes[i] = op.outputs[i].GetOriginShape();
	bool all = true;

	/* an optional output that is not given, and that no function knows a shape of, is a null pointer */
	for (size_t i = 0; i < op.out_slots.size(); i++) {
		gert::OneOperator::Slot &slot = op.out_slots[i];

		if (!shaped[slot.begin] && !shapes && def.outputs[i]->option == ops::OPTIONAL)
			slot.count = 0;
		else
			all &= shaped[slot.begin];
	}
	if (all)
		return;
	if (!shapes)
		fail("the operator has no function that infers shapes; give its outputs as NAME=TYPE[DIMS]");
	gert::InferShapeContext shape_context(op);

	if (shapes(&shape_context) != ge::GRAPH_SUCCESS)
		fail("the operator's function that infers shapes refuses these inputs");
	gert::InferDataTypeContext type_context(op);

	if (types && types(&type_context) != ge::GRAPH_SUCCESS)
		fail("the operator's function that infers types refuses these inputs");
	for (size_t i = 0; i < op.outputs.size(); i++)
		if (!shaped[i])
			op.outputs[i].shape = gert::StorageShape(op.out_shapes[i]);
}

void print(const ops::OpDef &def, gert::OneOperator &op)
{
	const unsigned char *bytes = static_cast<const unsigned char *>(op.tiling.GetData());
	size_t workspace = 0;

	for (size_t size : op.workspaces)
		workspace += size;
	printf("{\"key\": %llu, \"blocks\": %u, \"workspace\": %zu, \"inputs\": %s, \"outputs\": %s, \"tiling\": \"",
	       static_cast<unsigned long long>(op.key), op.blocks, workspace, json_list(def.inputs, op.in_slots, op.inputs).c_str(),
	       json_list(def.outputs, op.out_slots, op.outputs).c_str());
	for (size_t i = 0; i < op.tiling.GetDataSize(); i++)
		printf("%02x", bytes[i]);
	printf("\"}\n");
}

} // namespace

#if __has_include("acl/acl_base.h")
#include "acl/acl_base.h"

/*
 * The runtime's log, which a tiling function may write to where the runtime's headers are installed: its library is not
 * linked here. Warnings and errors are printed, as from other logs.
 */
extern "C" __attribute__((weak)) void aclAppLog(aclLogLevel level, const char *func, const char *, uint32_t, const char *format, ...)
{
	va_list args;

	if (level < ACL_WARNING)
		return;
	fprintf(stderr, "[%s] %s: ", level == ACL_WARNING ? "WARNING" : "ERROR", func);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
#endif

int main(int argc, char **argv)
{
	gert::OneOperator op;
	std::vector<Given> in, out;
	std::map<std::string, std::string> attributes;
	std::vector<bool> shaped, typed;
	bool any_type = false;

	if (argc < 3)
		fail("too few arguments");
	op.name = op.type = argv[1];
	op.platform.cores = static_cast<uint32_t>(atoi(argv[2]));
	for (int i = 3; i < argc; i++) {
		std::vector<std::string> parts = split(argv[i], ':', strncmp(argv[i], "attr:", 5) ? 6 : 3);

		if (parts[0] == "any-type")
			any_type = true;
		else if (parts[0] == "soc")
			op.platform.soc = parts[1];
		else if (parts[0] == "attr")
			attributes[parts[1]] = parts[2];
		else
			(parts[0] == "in" ? in : out).push_back(parse_tensor(parts));
	}
	auto found = ops::definitions().find(argv[1]);
	if (found == ops::definitions().end()) {
		std::string names;

		for (const auto &[name, factory] : ops::definitions())
			names += " " + name;
		fail("the sources define no operator '" + op.name + "'; they define:" + (names.empty() ? " none" : names));
	}
	std::unique_ptr<ops::OpDef> def = found->second(argv[1]);
	const ops::Implementation &more = ops::implementations()[argv[1]];

	place(def->inputs, in, true, op.inputs, op.in_slots);
	place(def->outputs, out, false, op.outputs, op.out_slots, &shaped, &typed);
	if (!any_type)
		check_types(*def, op, typed);
	for (const auto &attr : def->attributes) {
		op.attributes.values.push_back(attr->value);
		if (attributes.count(attr->name)) {
			set_attribute(op.attributes.values.back(), attributes[attr->name]);
			attributes.erase(attr->name);
		} else if (attr->option == ops::REQUIRED) {
			fail("attribute '" + attr->name + "' is required; say --attr " + attr->name + "=VALUE");
		}
	}
	for (const auto &[name, value] : attributes)
		fail("the operator has no attribute '" + name + "'");
	op.attributes.finish();
	infer(*def, more, op, shaped);
	ge::graphStatus status = ge::GRAPH_SUCCESS;

	if (more.parse)
		more.parse(op, status);
	ops::TilingFunction tiling = def->ai_core.tiling ? def->ai_core.tiling : more.tiling;
	gert::TilingContext context(op);

	if (status != ge::GRAPH_SUCCESS)
		fail("the operator's function that looks at the platform fails");
	if (!tiling)
		fail("the operator has no tiling function; AICore().SetTiling() or IMPL_OP_OPTILING states it");
	if (tiling(&context) != ge::GRAPH_SUCCESS)
		fail("the operator's tiling function refuses these tensors and attributes");
	print(*def, op);
	return 0;
}
