/* SPDX-License-Identifier: MIT */
/* OpDef: an operator's inputs, outputs, attributes and functions, as its class in op_host states them, and their registration. */
#ifndef ASCENDC_HOST_OPDEF_H
#define ASCENDC_HOST_OPDEF_H

#include "context.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope { ALL = 0, TILING = 1 };
enum class CommentSection { BRIEF = 0, CONSTRAINTS, RESTRICTIONS, THIRDPARTYFWKCOMPAT, SEE };
enum class FormatCheckOption { DEFAULT = 0, STRICT = 1 };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE = 4 };

/** ScalarVar - a number for InitValue() */
struct ScalarVar {
	template <class T> ScalarVar(T number) : value(static_cast<double>(number)) {}
	double value;
};

/** OpParamDef - an input or an output */
class OpParamDef {
public:
	explicit OpParamDef(std::string name) : name(std::move(name)) {}

	OpParamDef &ParamType(Option value) { option = value; return *this; }
	OpParamDef &DataType(std::vector<ge::DataType> value) { types = std::move(value); return *this; }
	OpParamDef &DataTypeList(std::vector<ge::DataType> value)
	{
		types = std::move(value);
		alone = true;
		return *this;
	}
	OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
	OpParamDef &Format(std::vector<ge::Format> value) { formats = std::move(value); return *this; }
	OpParamDef &FormatList(std::vector<ge::Format> value) { formats = std::move(value); return *this; }
	OpParamDef &FormatForBinQuery(std::vector<ge::Format>) { return *this; }
	OpParamDef &UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
	OpParamDef &ValueDepend(Option) { return *this; }
	OpParamDef &ValueDepend(Option, DependScope) { return *this; }
	OpParamDef &IgnoreContiguous() { return *this; }
	OpParamDef &AutoContiguous() { return *this; }
	OpParamDef &Scalar() { return *this; }
	OpParamDef &ScalarList() { return *this; }
	OpParamDef &To(ge::DataType) { return *this; }
	OpParamDef &To(const char *) { return *this; }
	OpParamDef &Version(uint32_t) { return *this; }
	/** InitValue() - what ascendc-op fills an output with before each run; of a list, the number at the place of the output's type */
	OpParamDef &InitValue(const ScalarVar &value) { return InitValue(std::vector<ScalarVar>{value}); }
	OpParamDef &InitValue(const std::vector<ScalarVar> &values)
	{
		initial = values;
		return *this;
	}
	OpParamDef &OutputShapeDependOnCompute() { return *this; }
	OpParamDef &Follow(const char *other) { follows = other; return *this; }
	OpParamDef &Follow(const char *other, FollowType what)
	{
		if (what == FollowType::ALL || what == FollowType::DTYPE)
			follows = other;
		return *this;
	}

	std::string name, follows;
	Option option = REQUIRED;
	std::vector<ge::DataType> types;
	std::vector<ge::Format> formats;
	std::vector<ScalarVar> initial;
	/* each of the types goes with all types of the other parameters, not only with those at its place in their lists */
	bool alone = false;
};

class OpAttrDef {
public:
	explicit OpAttrDef(std::string name) : name(std::move(name)) {}

	OpAttrDef &AttrType(Option value) { option = value; return *this; }
	OpAttrDef &Version(uint32_t) { return *this; }
	OpAttrDef &Comment(const char *) { return *this; }
	OpAttrDef &Int(int64_t value = 0) { set(gert::Attribute::INT).integer = value; return *this; }
	OpAttrDef &Float(float value = 0) { set(gert::Attribute::FLOAT).number = value; return *this; }
	OpAttrDef &Bool(bool value = false) { set(gert::Attribute::BOOL).truth = value; return *this; }
	OpAttrDef &String(const char *value = "") { set(gert::Attribute::STRING).text = value; return *this; }
	OpAttrDef &ListInt(std::vector<int64_t> value = {}) { set(gert::Attribute::INTS).integers = std::move(value); return *this; }
	OpAttrDef &ListFloat(std::vector<float> value = {}) { set(gert::Attribute::FLOATS).numbers = std::move(value); return *this; }
	OpAttrDef &ListBool(std::vector<bool> value = {})
	{
		set(gert::Attribute::INTS).integers.assign(value.begin(), value.end());
		return *this;
	}

	std::string name;
	Option option = REQUIRED;
	gert::Attribute value;

private:
	gert::Attribute &set(gert::Attribute::Kind kind)
	{
		value.kind = kind;
		return value;
	}
};

using TilingFunction = ge::graphStatus (*)(gert::TilingContext *);
using ShapeFunction = ge::graphStatus (*)(gert::InferShapeContext *);
using TypeFunction = ge::graphStatus (*)(gert::InferDataTypeContext *);

/** OpAICoreConfig - of one chip; inputs and outputs may be stated anew for it, of which the types of elements count here */
class OpAICoreConfig {
public:
	OpAICoreConfig() = default;
	explicit OpAICoreConfig(const char *) {}
	OpParamDef &Input(const char *name) { return inputs.emplace(name, OpParamDef(name)).first->second; }
	OpParamDef &Output(const char *name) { return outputs.emplace(name, OpParamDef(name)).first->second; }
	OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
	OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
	OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
	OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
	OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
	OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
	OpAICoreConfig &ExtendCfgInfo(const char *, const char *) { return *this; }

	std::map<std::string, OpParamDef> inputs, outputs;
};

class OpAICoreDef {
public:
	OpAICoreDef &SetTiling(TilingFunction function) { tiling = function; return *this; }
	template <class F> OpAICoreDef &SetCheckSupport(F) { return *this; }
	template <class F> OpAICoreDef &SetOpSelectFormat(F) { return *this; }
	template <class F> OpAICoreDef &SetOpSupportInfo(F) { return *this; }
	template <class F> OpAICoreDef &SetOpSpecInfo(F) { return *this; }
	template <class F> OpAICoreDef &SetParamGeneralize(F) { return *this; }
	OpAICoreDef &AddConfig(const char *) { return *this; }
	OpAICoreDef &AddConfig(const char *, const OpAICoreConfig &config)
	{
		configs.push_back(config);
		return *this;
	}

	TilingFunction tiling = nullptr;
	std::vector<OpAICoreConfig> configs;
};

class OpMC2Def {
public:
	OpMC2Def &HcclGroup(const char *) { return *this; }
	OpMC2Def &HcclGroup(std::vector<const char *>) { return *this; }
	OpMC2Def &HcclServerType(int) { return *this; }
};

class OpDef {
public:
	explicit OpDef(const char *name) : name(name) {}
	virtual ~OpDef() = default;

	OpParamDef &Input(const char *param) { return add(inputs, param); }
	OpParamDef &Output(const char *param) { return add(outputs, param); }
	OpAttrDef &Attr(const char *attr)
	{
		attributes.push_back(std::make_unique<OpAttrDef>(attr));
		return *attributes.back();
	}
	OpDef &SetInferShape(ShapeFunction function) { infer_shape = function; return *this; }
	OpDef &SetInferDataType(TypeFunction function) { infer_type = function; return *this; }
	template <class F> OpDef &SetInferShapeRange(F) { return *this; }
	template <class... F> OpDef &FormatMatchMode(F...) { return *this; }
	OpDef &Comment(const char *) { return *this; }
	OpDef &Comment(CommentSection, const char *) { return *this; }
	OpDef &EnableFallBack() { return *this; }
	OpAICoreDef &AICore() { return ai_core; }
	OpMC2Def &MC2() { return mc2; }

	std::string name;
	std::vector<std::unique_ptr<OpParamDef>> inputs, outputs;
	std::vector<std::unique_ptr<OpAttrDef>> attributes;
	ShapeFunction infer_shape = nullptr;
	TypeFunction infer_type = nullptr;
	OpAICoreDef ai_core;
	OpMC2Def mc2;

private:
	static OpParamDef &add(std::vector<std::unique_ptr<OpParamDef>> &list, const char *param)
	{
		list.push_back(std::make_unique<OpParamDef>(param));
		return *list.back();
	}
};

/** Implementation - functions of an operator that are registered beside its definition (IMPL_OP_OPTILING) */
struct Implementation {
	TilingFunction tiling = nullptr;
	ShapeFunction infer_shape = nullptr;
	TypeFunction infer_type = nullptr;
	std::function<std::shared_ptr<void>(gert::OneOperator &, ge::graphStatus &)> parse;
};

using Factory = std::unique_ptr<OpDef> (*)(const char *name);

inline std::map<std::string, Factory> &definitions()
{
	static std::map<std::string, Factory> all;

	return all;
}

inline std::map<std::string, Implementation> &implementations()
{
	static std::map<std::string, Implementation> all;

	return all;
}

inline int define(const char *name, Factory factory)
{
	definitions()[name] = factory;
	return 0;
}

} // namespace ops

namespace gert {

/** OpImplRegister - collects functions; what it does not use here it accepts */
class OpImplRegister {
public:
	explicit OpImplRegister(const char *type) : type_(type) {}

	OpImplRegister &Tiling(ops::TilingFunction function) { of().tiling = function; return *this; }
	OpImplRegister &InferShape(ops::ShapeFunction function) { of().infer_shape = function; return *this; }
	OpImplRegister &InferDataType(ops::TypeFunction function) { of().infer_type = function; return *this; }
	template <class F> OpImplRegister &InferShapeRange(F) { return *this; }
	template <class... I> OpImplRegister &InputsDataDependency(I...) { return *this; }
	OpImplRegister &InputsDataDependency(std::initializer_list<int32_t>) { return *this; }
	OpImplRegister &TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }

	template <class T> OpImplRegister &TilingParse(ge::graphStatus (*function)(TilingParseContext *))
	{
		of().parse = [function](OneOperator &op, ge::graphStatus &status) -> std::shared_ptr<void> {
			std::shared_ptr<T> info = std::make_shared<T>();

			op.compile_info = info;
			TilingParseContext context(op);
			status = function ? function(&context) : ge::GRAPH_SUCCESS;
			return info;
		};
		return *this;
	}

private:
	ops::Implementation &of() { return ops::implementations()[type_]; }

	std::string type_;
};

using OpImplRegisterV2 = OpImplRegister;

} // namespace gert

#define ANPU_PASTE_(a, b)	a##b
#define ANPU_PASTE(a, b)	ANPU_PASTE_(a, b)
#define OP_ADD(type, ...) \
	[[maybe_unused]] static const int ANPU_PASTE(anpu_added_, type) = \
		::ops::define(#type, [](const char *name) { return std::unique_ptr<::ops::OpDef>(new type(name)); })
#define IMPL_OP(type) \
	[[maybe_unused]] static ::gert::OpImplRegister ANPU_PASTE(anpu_implements_, __COUNTER__) = ::gert::OpImplRegister(#type)
#define IMPL_OP_OPTILING(type)		IMPL_OP(type)
#define IMPL_OP_INFERSHAPE(type)	IMPL_OP(type)

#endif
